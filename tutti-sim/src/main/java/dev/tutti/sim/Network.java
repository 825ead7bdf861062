package dev.tutti.sim;

import dev.tutti.core.driver.DialFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Network between the nodes, with its faults. Paths and faults are those between machines: they hold for all nodes of two machines.
 *
 * <p>Connections are streams: while one lasts nothing is lost, duplicated or reordered on it. A cut direction holds
 * back frames in flight, like TCP's retransmission, and delivers them some time after the heal if the connection still
 * lasts. A broken connection loses frames in flight from some one on, and its ends notice at different times or never.
 */
public final class Network {

    private final Simulation simulation;
    private final SplittableRandom random;
    private final TreeMap<String, SimulatedNode> byAddress = new TreeMap<>();

    /** Addresses with the names of hosts, and that of the node which each leads to. */
    private final TreeMap<String, String> leading = new TreeMap<>();

    /** First node of each machine, by the host in its address. */
    private final TreeMap<String, SimulatedNode> machines = new TreeMap<>();

    private final LinkedHashSet<SimulatedConnection> connections = new LinkedHashSet<>();
    private final TreeMap<Long, Path> paths = new TreeMap<>();
    private final TreeSet<Long> cuts = new TreeSet<>();
    private final TreeSet<Integer> clogged = new TreeSet<>();
    private Path defaultPath = Path.LOCAL;
    private Duration connectTimeout = Duration.ofSeconds(2);
    private Duration endDelayMax = Duration.ofMillis(1);
    private Duration noticeDelayMax = Duration.ofMillis(20);

    Network(Simulation simulation, SplittableRandom random) {
        this.simulation = simulation;
        this.random = random;
    }

    // ------------------------------------------------------------------ what can be set

    /** Sets the path of all directions without one of their own. */
    public void setPath(Path path) {
        defaultPath = path;
    }

    /** Sets the path of one direction; frames in flight keep their time. */
    public void setPath(SimulatedNode from, SimulatedNode to, Path path) {
        paths.put(direction(from, to), path);
    }

    /** Resets all directions to the default path. */
    public void clearPaths() {
        paths.clear();
    }

    /** Sets the time after which a dial across a cut, or to a machine without power, fails. */
    public void setConnectTimeout(Duration timeout) {
        connectTimeout = timeout;
    }

    /** Sets the highest delay, above the latency, until the peers of a crashed process notice its end. */
    public void setEndDelayMax(Duration delay) {
        endDelayMax = delay;
    }

    /** Sets the highest delay until an end of a broken connection notices, if it does. */
    public void setNoticeDelayMax(Duration delay) {
        noticeDelayMax = delay;
    }

    // ------------------------------------------------------------------ faults

    /** Cuts one direction: nothing gets from {@code from} to {@code to} until it is healed. */
    public void cut(SimulatedNode from, SimulatedNode to) {
        if (cuts.add(direction(from, to))) {
            simulation.trace().add(nowNanos(), Trace.Kind.CUT, from.name(), "to " + to);
        }
    }

    /** Cuts both directions between each node of one side and each of the other. */
    public void partition(Collection<SimulatedNode> side, Collection<SimulatedNode> otherSide) {
        for (SimulatedNode node : side) {
            for (SimulatedNode other : otherSide) {
                cut(node, other);
                cut(other, node);
            }
        }
    }

    public void heal(SimulatedNode from, SimulatedNode to) {
        if (cuts.remove(direction(from, to))) {
            simulation.trace().add(nowNanos(), Trace.Kind.HEAL, from.name(), "to " + to);
            flowAgain(from, to);
        }
    }

    private void flowAgain(SimulatedNode from, SimulatedNode to) {
        for (SimulatedConnection connection : connections) {
            for (SimulatedConnection.Pipe pipe : pipesBetween(connection, from, to)) {
                at(nowNanos() + delayNanos(path(from, to)) + random.nextLong(REPETITION_NANOS_MAX), pipe);
            }
        }
    }

    /** Heals all cuts. */
    public void heal() {
        for (SimulatedNode from : simulation.nodes()) {
            for (SimulatedNode to : simulation.nodes()) {
                heal(from, to);
            }
        }
    }

    public boolean isCut(SimulatedNode from, SimulatedNode to) {
        return !cuts.isEmpty() && cuts.contains(direction(from, to));
    }

    /** Holds back all traffic to and from a node; nothing is lost, and dials wait. */
    public void clog(SimulatedNode node) {
        if (clogged.add(node.machineIndex())) {
            simulation.trace().add(nowNanos(), Trace.Kind.CLOG, node.name(), "");
        }
    }

    public void unclog(SimulatedNode node) {
        if (clogged.remove(node.machineIndex())) {
            simulation.trace().add(nowNanos(), Trace.Kind.UNCLOG, node.name(), "");
            for (SimulatedNode other : simulation.nodes()) {
                if (other.isFirst()) {
                    flowAgain(node, other);
                    flowAgain(other, node);
                }
            }
        }
    }

    private boolean isClogged(SimulatedNode from, SimulatedNode to) {
        return !clogged.isEmpty() && (clogged.contains(from.machineIndex()) || clogged.contains(to.machineIndex()));
    }

    /** Returns whether nothing gets through from one to the other at present. */
    boolean isHeld(SimulatedNode from, SimulatedNode to) {
        return isCut(from, to) || isClogged(from, to);
    }

    /** Ends that notice that a connection is broken. */
    public enum Notice {
        BOTH,
        DIALLER,
        ACCEPTOR,
        NOBODY
    }

    /**
     * Breaks the connections between two nodes: in each direction frames in flight are lost from a random one on.
     *
     * @return number of broken connections
     */
    public int breakConnections(SimulatedNode node, SimulatedNode other, Notice notice) {
        int count = 0;
        for (SimulatedConnection connection : List.copyOf(connections)) {
            if (connection.isConnected() && !connection.isOver() && isBetween(connection, node, other)) {
                count++;
                simulation.trace().add(nowNanos(), Trace.Kind.BREAK, node.name(), "with " + other + ", noticed by " + notice);
                for (SimulatedConnection.Pipe pipe : connection.pipes()) {
                    pipe.lose(random.nextInt(pipe.frameCount() + 1));
                }
                if (notice == Notice.BOTH || notice == Notice.DIALLER) {
                    notice(connection.dialler());
                }
                if (notice == Notice.BOTH || notice == Notice.ACCEPTOR) {
                    notice(connection.acceptor());
                }
            }
        }
        return count;
    }

    /**
     * Corrupts one of the frames in flight, or the next one: the check of the stream detects it, so that the connection
     * ends there for both, and nothing of that frame reaches the machine.
     *
     * @return number of connections
     */
    public int corrupt(SimulatedNode from, SimulatedNode to) {
        int count = 0;
        for (SimulatedConnection connection : List.copyOf(connections)) {
            for (SimulatedConnection.Pipe pipe : connection.isOver() ? List.<SimulatedConnection.Pipe>of() : pipesBetween(connection, from, to)) {
                count++;
                simulation.trace().add(nowNanos(), Trace.Kind.BREAK, from.name(), "to " + to + ", corrupted");
                pipe.corrupt(random.nextInt(pipe.frameCount() + 1));
            }
        }
        return count;
    }

    /** Returns the number of connections between two nodes that both ends have open. */
    public int connectionCount(SimulatedNode node, SimulatedNode other) {
        int count = 0;
        for (SimulatedConnection connection : connections) {
            if (connection.isConnected()
                    && connection.dialler().isOpen
                    && connection.acceptor().isOpen
                    && isBetween(connection, node, other)) {
                count++;
            }
        }
        return count;
    }

    /** Lets an address with a host's name lead to a node, the first one of that name. */
    public void name(String address, SimulatedNode node) {
        leading.put(address, node.address());
    }

    // ------------------------------------------------------------------ for the nodes

    void register(SimulatedNode node) {
        byAddress.put(node.address(), node);
        machines.putIfAbsent(host(node.address()), node.first());
    }

    @Nullable SimulatedNode find(String address) {
        return byAddress.get(leading.getOrDefault(address, address));
    }

    long nowNanos() {
        return simulation.nowNanos();
    }

    void at(long timeNanos, Runnable action) {
        simulation.at(timeNanos, action);
    }

    Path path(SimulatedNode from, SimulatedNode to) {
        return paths.isEmpty() ? defaultPath : paths.getOrDefault(direction(from, to), defaultPath);
    }

    long delayNanos(Path path) {
        long delay = path.latency().toNanos() + random.nextLong(path.jitter().toNanos() + 1);
        long scale = path.tail().toNanos();
        return scale > 0 && random.nextInt(TAIL_ONE_IN) == 0
                ? delay + (long) Math.min(TAIL_NANOS_MAX, scale / (1 - random.nextDouble()) - scale)
                : delay;
    }

    /** Dials for a node, which learns the outcome unless it closes before. */
    SimulatedConnection.End dial(StreamDriver driver, int number, String address) {
        SimulatedNode from = driver.node();
        SimulatedConnection connection = new SimulatedConnection(this, driver);
        SimulatedConnection.End end = connection.dialler();
        end.number = number;
        connections.add(connection);
        simulation.trace().add(nowNanos(), Trace.Kind.DIAL, from.name(), address + " as " + number);
        SimulatedNode to = find(address);
        if (to == null) {
            dialNobody(end, machines.get(host(address)), address);
            return end;
        }
        long patienceEnd = nowNanos() + connectTimeout.toNanos();
        at(nowNanos() + delayNanos(path(from, to)), () -> open(connection, to, patienceEnd));
        return end;
    }

    /** Fails to reach an address without a node: the machine refuses, unless it can't be reached itself. */
    private void dialNobody(SimulatedConnection.End end, @Nullable SimulatedNode machine, String address) {
        Path path = machine == null ? defaultPath : path(end.node(), machine);
        long delay = delayNanos(path) + delayNanos(path);
        if (machine == null) {
            at(nowNanos() + delay, () -> fail(end, DialFailure.UNRESOLVED, "nobody is at " + address));
        } else if (isHeld(end.node(), machine) || isHeld(machine, end.node()) || !machine.isPowered()) {
            at(nowNanos() + connectTimeout.toNanos(), () -> fail(end, DialFailure.UNREACHABLE, "no answer from " + address));
        } else {
            at(nowNanos() + delay, () -> fail(end, DialFailure.REFUSED, "nobody is at " + address));
        }
    }

    private void open(SimulatedConnection connection, SimulatedNode to, long patienceEnd) {
        SimulatedConnection.End end = connection.dialler();
        SimulatedNode from = end.node();
        if (isClogged(from, to) && nowNanos() < patienceEnd) {
            at(nowNanos() + OPEN_RETRY_NANOS, () -> open(connection, to, patienceEnd));
            return;
        }
        if (isHeld(from, to) || isHeld(to, from) || !to.isPowered()) {
            at(nowNanos() + connectTimeout.toNanos(), () -> fail(end,
                    DialFailure.UNREACHABLE, "no answer from " + to.address()));
            return;
        }
        long answerNanos = nowNanos() + delayNanos(path(to, from));
        StreamDriver listener = to.streams();
        if (listener == null) {
            at(answerNanos, () -> fail(end, DialFailure.REFUSED, to.address() + " refuses"));
            return;
        }
        if (!end.isOpen) {
            connections.remove(connection);
            return;
        }
        listener.onKnock(connection, from.address());
        at(answerNanos, () -> end.driver.onDialled(end));
    }

    private void fail(SimulatedConnection.End end, DialFailure failure, String detail) {
        connections.remove(end.connection);
        end.driver.onDialFailed(end, failure, detail);
    }

    /** Ends a connection whose process at this end has died. */
    void abort(SimulatedConnection.End end) {
        if (!end.isConnected()) {
            connections.remove(end.connection);
            return;
        }
        SimulatedConnection.Pipe pipe = end.out();
        boolean isOrderly = random.nextBoolean();
        int kept = isOrderly ? pipe.frameCount() : random.nextInt(pipe.frameCount() + 1);
        long delay = delayNanos(path(end.node(), end.other().node())) + random.nextLong(endDelayMax.toNanos() + 1);
        pipe.abort(kept, isOrderly, isOrderly ? "closed by peer" : "reset by peer", delay);
        forgetIfOver(end.connection);
    }

    /** Silences a connection whose machine at this end has lost its power: no peer is told. */
    void vanish(SimulatedConnection.End end) {
        if (end.isConnected()) {
            end.out().discardWaiting();
            end.out().lose(random.nextInt(end.out().frameCount() + 1));
            end.other().out().lose(0);
        } else {
            connections.remove(end.connection);
        }
    }

    /**
     * Notes that a node is back: peers with a connection to its past run learn that it is over.
     *
     * @param isMachineBack whether its machine was without power: then the same holds for nodes of the machine that are still down
     */
    void reappear(SimulatedNode node, boolean isMachineBack) {
        for (SimulatedConnection connection : List.copyOf(connections)) {
            if (connection.isConnected()) {
                for (SimulatedConnection.End end : List.of(connection.dialler(), connection.acceptor())) {
                    SimulatedNode other = end.other().node();
                    boolean isPast = other == node
                            ? end.other().driver.run() < node.run()
                            : isMachineBack && other.first() == node.first() && other.life() == SimulatedNode.Life.DOWN;
                    if (end.isOpen && isPast) {
                        notice(end);
                    }
                }
            }
        }
    }

    void forgetIfOver(SimulatedConnection connection) {
        if (connection.isOver()) {
            connections.remove(connection);
        }
    }

    void notice(SimulatedConnection.End end) {
        at(nowNanos() + random.nextLong(noticeDelayMax.toNanos() + 1), () -> {
            if (end.isOpen) {
                end.driver.onEnd(end, false, "connection reset");
            }
        });
    }

    private static boolean isBetween(SimulatedConnection connection, SimulatedNode node, SimulatedNode other) {
        SimulatedNode dialler = connection.dialler().node().first();
        SimulatedNode acceptor = connection.acceptor().node().first();
        return dialler == node.first() && acceptor == other.first() || dialler == other.first() && acceptor == node.first();
    }

    private static List<SimulatedConnection.Pipe> pipesBetween(SimulatedConnection connection, SimulatedNode from, SimulatedNode to) {
        List<SimulatedConnection.Pipe> pipes = new ArrayList<>(2);
        if (connection.isConnected() && isBetween(connection, from, to)) {
            pipes.add(connection.dialler().node().first() == from.first() ? connection.dialler().out() : connection.acceptor().out());
        }
        return pipes;
    }

    private static long direction(SimulatedNode from, SimulatedNode to) {
        return (long) from.machineIndex() << 32 | to.machineIndex();
    }

    private static String host(String address) {
        int colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }

    private static final long REPETITION_NANOS_MAX = 200_000_000L;
    private static final long OPEN_RETRY_NANOS = 50_000_000L;
    private static final int TAIL_ONE_IN = 100;
    private static final long TAIL_NANOS_MAX = 10_000_000_000L;
}
