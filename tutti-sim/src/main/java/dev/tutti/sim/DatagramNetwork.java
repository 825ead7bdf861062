package dev.tutti.sim;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.sim.tls.SimulatedTls;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Network for datagrams between nodes, with faults: loss, duplication, reordering, damage, a full line, and a receiver
 * that does not read in time. Cuts are those of {@link Network}: a datagram that meets one is lost.
 *
 * <p>Nodes watch each other's processes, as by connections of TCP on which nothing is sent: the end of a process ends them, a cut
 * and a pause do not.
 */
public final class DatagramNetwork {

    /** Decides about one datagram, for tests that lose a particular one. */
    @FunctionalInterface
    public interface Filter {
        boolean passes(SimulatedNode from, SimulatedNode to, byte[] datagram);
    }

    /** Fate of a datagram. */
    public enum Fate {
        SENT,
        MULTICAST,
        ARRIVED,
        LOST,
        CUT,
        DROPPED_AT_TAIL,
        DUPLICATED,
        CORRUPTED,
        TRUNCATED,
        RECEIVER_FULL,
        NOBODY,
        FILTERED
    }

    private final Simulation simulation;
    private final SplittableRandom random;
    private final TreeMap<Endpoint, SimulatedNode> byEndpoint = new TreeMap<>();
    private final TreeMap<Long, DatagramPath> paths = new TreeMap<>();
    private final TreeMap<Long, Long> lineFreeNanos = new TreeMap<>();
    private final long[] counts = new long[Fate.values().length];
    private final long[] bytes = new long[Fate.values().length];
    private final TreeMap<Integer, String> authorities = new TreeMap<>();
    private final TreeMap<Integer, Tls> tls = new TreeMap<>();
    private final Watches watches = new Watches();
    private DatagramPath defaultPath = DatagramPath.LOCAL;
    private int receiveBufferBytes = 4 * 1024 * 1024;
    private int datagramBytesMax = Packet.DATAGRAM_MAX - 1;
    private @Nullable Filter filter;
    private boolean isWatchable = true;
    private boolean isWatchRefused;

    DatagramNetwork(Simulation simulation, SplittableRandom random) {
        this.simulation = simulation;
        this.random = random;
    }

    // ------------------------------------------------------------------ what can be set

    /** Sets the path of all directions without one of their own. */
    public void setPath(DatagramPath path) {
        defaultPath = path;
    }

    /** Sets the path of one direction; datagrams in flight keep their time. */
    public void setPath(SimulatedNode from, SimulatedNode to, DatagramPath path) {
        paths.put(direction(from, to), path);
    }

    /** Resets all directions to the default path. */
    public void clearPaths() {
        paths.clear();
    }

    /** Sets the bytes that may wait at a node for its next turn; further datagrams are dropped. */
    public void setReceiveBuffer(int bytesMax) {
        receiveBufferBytes = bytesMax;
    }

    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    /** Sets the largest datagram; larger ones are dropped. */
    public void setDatagramMax(int bytesMax) {
        datagramBytesMax = bytesMax;
    }

    /** Sets a filter. Datagrams that it does not let pass are lost; null lets all pass. */
    public void setFilter(@Nullable Filter filter) {
        this.filter = filter;
    }

    /** Sets whether watches reach other nodes: false where only datagrams pass, and connections of TCP get no answer. */
    public void setWatchable(boolean isReachable) {
        isWatchable = isReachable;
    }

    /** Sets whether something on the way refuses the connections of watches, though the processes run. */
    public void setWatchesRefused(boolean isRefused) {
        isWatchRefused = isRefused;
    }

    /** Ends the connections by which nodes watch {@code target}, whose process goes on, as somebody who can forge segments of TCP does. */
    public void resetWatches(SimulatedNode target) {
        watches.onEnded(target);
    }

    /** Returns the number of processes that a node watches, with a connection for each. */
    public int watchCount(SimulatedNode watcher) {
        return watches.count(watcher);
    }

    /** Sets the authority of a node's certificate, which is also the only one that the node trusts. */
    public void setAuthority(SimulatedNode node, String authority) {
        authorities.put(node.index(), authority);
    }

    /** Lets a node distrust the other ends of all its connections, as after a revocation. */
    public void distrust(SimulatedNode node, String detail) {
        Tls tls = tls(node);
        for (long connection : List.copyOf(tls.secured)) {
            node.onInput((socket, now) -> socket.onDistrusted(now, connection, detail));
        }
    }

    // ------------------------------------------------------------------ what has happened

    public long count(Fate fate) {
        return counts[fate.ordinal()];
    }

    /** Returns the bytes of the datagrams that had this fate. */
    public long bytes(Fate fate) {
        return bytes[fate.ordinal()];
    }

    private void note(Fate fate, int length) {
        counts[fate.ordinal()]++;
        bytes[fate.ordinal()] += length;
    }

    // ------------------------------------------------------------------ for the nodes

    void register(SimulatedNode node) {
        byEndpoint.put(endpoint(node), node);
    }

    /** Returns the endpoint from which {@code node} sends, and at which it receives. */
    public Endpoint endpoint(SimulatedNode node) {
        return new Endpoint(0, 0xffff_0a00_0000L + node.index() + 1, PORT);
    }

    @Nullable Endpoint resolve(String address) {
        SimulatedNode node = simulation.network().find(address);
        if (node != null) {
            return endpoint(node);
        }
        return byEndpoint.keySet().stream().filter(each -> each.address().equals(address)).findFirst().orElse(null);
    }

    /** Returns the effects of a node's turn, which are added to {@code effects}; datagrams are copied. */
    DatagramEffects effects(SimulatedNode node, List<Runnable> effects) {
        return new Collector(node, effects);
    }

    private Tls tls(SimulatedNode node) {
        Tls present = tls.get(node.index());
        if (present == null || present.run != node.run()) {
            present = new Tls(node);
            tls.put(node.index(), present);
        }
        return present;
    }

    /** Notes that the process of a node has ended, and with it its watches and those over it. */
    void onProcessEnded(SimulatedNode node) {
        watches.forget(node);
        watches.onEnded(node);
    }

    /** Notes that the machine of a node is without power: its watches are over, and those over it learn nothing. */
    void onVanished(SimulatedNode node) {
        watches.forget(node);
    }

    /** One node's watch over the process at an endpoint. */
    private static final class Watch {

        final SimulatedNode watcher;
        final SimulatedNode target;
        final Endpoint peer;

        /** Run of the target with which there is a connection; 0 if there is none. */
        int run;

        /** The process is known to have been there: a refusal says that it is gone. */
        boolean wasConnected;

        boolean isOver;
        int failures;

        Watch(SimulatedNode watcher, SimulatedNode target, Endpoint peer) {
            this.watcher = watcher;
            this.target = target;
            this.peer = peer;
        }
    }

    /** Watches of all nodes. They draw no randomness, so that schedules are the same with and without them. */
    private final class Watches {

        /** By the watcher's index, and the endpoint. */
        private final TreeMap<Integer, TreeMap<Endpoint, Watch>> all = new TreeMap<>();

        void begin(SimulatedNode watcher, Endpoint peer) {
            SimulatedNode target = byEndpoint.get(peer);
            if (target != null) {
                Watch watch = new Watch(watcher, target, peer);
                all.computeIfAbsent(watcher.index(), _ -> new TreeMap<>()).put(peer, watch);
                dialAfter(watch, 0);
            }
        }

        void end(SimulatedNode watcher, Endpoint peer) {
            TreeMap<Endpoint, Watch> own = all.get(watcher.index());
            Watch ended = own == null ? null : own.remove(peer);
            if (ended != null) {
                ended.isOver = true;
            }
        }

        void forget(SimulatedNode watcher) {
            TreeMap<Endpoint, Watch> own = all.remove(watcher.index());
            if (own != null) {
                own.values().forEach(watch -> watch.isOver = true);
            }
        }

        int count(SimulatedNode watcher) {
            TreeMap<Endpoint, Watch> own = all.get(watcher.index());
            return own == null ? 0 : (int) own.values().stream().filter(watch -> watch.run > 0).count();
        }

        /** Ends the connections with a node, whose system tells the watchers. */
        void onEnded(SimulatedNode target) {
            for (TreeMap<Endpoint, Watch> own : all.values()) {
                for (Watch watch : own.values()) {
                    if (watch.target == target && watch.run > 0) {
                        simulation.at(simulation.nowNanos() + latencyNanos(target, watch.watcher), () -> tell(watch));
                    }
                }
            }
        }

        /** Tells a watcher of the end of its connection, again and again while the network is cut, as TCP does. */
        private void tell(Watch watch) {
            if (watch.isOver || watch.run == 0) {
                return;
            }
            if (simulation.network().isHeld(watch.target, watch.watcher)) {
                simulation.at(simulation.nowNanos() + WATCH_RETRY_NANOS, () -> tell(watch));
                return;
            }
            watch.run = 0;
            dialAfter(watch, 0);
        }

        private void dialAfter(Watch watch, long delayNanos) {
            long there = delayNanos + latencyNanos(watch.watcher, watch.target);
            simulation.at(simulation.nowNanos() + there, () -> {
                if (!watch.isOver) {
                    onDialled(watch);
                }
            });
        }

        /** Takes a dial that has come to its target. */
        private void onDialled(Watch watch) {
            SimulatedNode target = watch.target;
            boolean isHeld = simulation.network().isHeld(watch.watcher, target) || simulation.network().isHeld(target, watch.watcher);
            if (isHeld || !isWatchable || !target.isPowered()) {
                onFailed(watch);
                return;
            }
            int run = target.datagrams() == null || isWatchRefused ? 0 : target.run();
            simulation.at(simulation.nowNanos() + latencyNanos(target, watch.watcher), () -> {
                if (watch.isOver) {
                    return;
                }
                if (run == 0) {
                    onRefused(watch);
                } else if (target.datagrams() == null || target.run() != run) {
                    // The process has ended meanwhile: so has the connection.
                    watch.wasConnected = true;
                    dialAfter(watch, 0);
                } else {
                    watch.run = run;
                    watch.wasConnected = true;
                    watch.failures = 0;
                }
            });
        }

        private void onRefused(Watch watch) {
            if (watch.wasConnected) {
                watch.wasConnected = false;
                simulation.trace().add(simulation.nowNanos(), Trace.Kind.DIAL_FAILED, watch.watcher.name(), "watch of " + watch.target + " REFUSED");
                watch.watcher.onInput((socket, now) -> socket.onRefused(now, watch.peer));
            }
            onFailed(watch);
        }

        private void onFailed(Watch watch) {
            dialAfter(watch, WATCH_RETRY_NANOS << Math.min(watch.failures++, 6));
        }

        private long latencyNanos(SimulatedNode from, SimulatedNode to) {
            return paths.getOrDefault(direction(from, to), defaultPath).latency().toNanos();
        }
    }

    /** TLS of one run of a node. */
    private final class Tls implements SimulatedTls.Sink {

        final int run;
        final SimulatedTls engine;
        final TreeSet<Long> secured = new TreeSet<>();
        private final SimulatedNode node;

        Tls(SimulatedNode node) {
            this.node = node;
            this.run = node.run();
            String authority = authorities.getOrDefault(node.index(), "the authority");
            this.engine = new SimulatedTls(node.name(), authority, random.split(), this);
        }

        @Override
        public void onBytes(long connection, byte[] bytes) {
            node.onInput((socket, now) -> socket.onHandshake(now, connection, bytes));
        }

        @Override
        public void onSecured(long connection, byte[] sendSecret, byte[] receiveSecret, Credentials credentials) {
            secured.add(connection);
            node.onInput(
                    (socket, now) -> socket.onSecured(now, connection, sendSecret, receiveSecret, credentials));
        }

        @Override
        public void onFailed(long connection, String detail) {
            node.onInput((socket, now) -> socket.onHandshakeFailed(now, connection, detail));
        }
    }

    private final class Collector implements DatagramEffects {

        private final SimulatedNode node;
        private final List<Runnable> effects;

        Collector(SimulatedNode node, List<Runnable> effects) {
            this.node = node;
            this.effects = effects;
        }

        @Override
        public void resolve(String remote) {
            effects.add(() -> node.onInput((socket, now) -> socket.onResolved(now, remote, DatagramNetwork.this.resolve(remote))));
        }

        @Override
        public void send(Endpoint to, Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> DatagramNetwork.this.send(node, to, bytes));
        }

        @Override
        public void multicast(Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> DatagramNetwork.this.multicast(node, bytes));
        }

        @Override
        public void watch(Endpoint peer) {
            effects.add(() -> watches.begin(node, peer));
        }

        @Override
        public void unwatch(Endpoint peer) {
            effects.add(() -> watches.end(node, peer));
        }

        @Override
        public void beginHandshake(long connection, Endpoint with, boolean isDialed) {
            effects.add(() -> tls(node).engine.begin(connection, isDialed));
        }

        @Override
        public void handshake(long connection, Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> tls(node).engine.onBytes(connection, bytes));
        }

        @Override
        public void endHandshake(long connection) {
            effects.add(() -> {
                tls(node).engine.end(connection);
                tls(node).secured.remove(connection);
            });
        }

        private static byte[] bytes(Packet datagram) {
            byte[] bytes = new byte[datagram.length()];
            datagram.bytes().get(datagram.offset(), bytes);
            datagram.release();
            return bytes;
        }
    }

    void send(SimulatedNode from, Endpoint to, byte[] datagram) {
        note(Fate.SENT, datagram.length);
        SimulatedNode receiver = byEndpoint.get(to);
        if (receiver == null) {
            note(Fate.NOBODY, datagram.length);
        } else {
            travel(from, receiver, endpoint(from), datagram, false);
        }
    }

    void multicast(SimulatedNode from, byte[] datagram) {
        note(Fate.MULTICAST, datagram.length);
        for (SimulatedNode receiver : byEndpoint.values()) {
            if (receiver != from) {
                travel(from, receiver, endpoint(from), datagram, true);
            }
        }
    }

    /** Injects a datagram with an arbitrary sender address; it arrives at once and unchanged. */
    public void inject(Endpoint from, SimulatedNode to, byte[] datagram) {
        arrive(to, from, datagram);
    }

    private void travel(SimulatedNode from, SimulatedNode to, Endpoint source, byte[] datagram, boolean isMulticast) {
        DatagramPath path = paths.getOrDefault(direction(from, to), defaultPath);
        Filter present = filter;
        if (present != null && !present.passes(from, to, datagram)) {
            note(Fate.FILTERED, datagram.length);
            return;
        }
        if (simulation.network().isCut(from, to)) {
            note(Fate.CUT, datagram.length);
            return;
        }
        if (datagram.length > datagramBytesMax) {
            note(Fate.DROPPED_AT_TAIL, datagram.length);
            return;
        }
        long now = simulation.nowNanos();
        long free = Math.max(now, lineFreeNanos.getOrDefault(direction(from, to), 0L));
        // A double, since a queue of seconds times a capacity of gigabytes exceeds the range of long.
        double waitingBytes = (double) (free - now) * path.bytesPerSecond() / 1e9;
        if (waitingBytes > 0 && waitingBytes + datagram.length > path.bufferBytes()) {
            note(Fate.DROPPED_AT_TAIL, datagram.length);
            return;
        }
        free += (long) ((double) (datagram.length + HEADER_BYTES) * 1e9 / path.bytesPerSecond());
        lineFreeNanos.put(direction(from, to), free);
        if (random.nextDouble() < path.loss() || isMulticast && random.nextDouble() < path.multicastLoss()) {
            note(Fate.LOST, datagram.length);
            return;
        }
        int copies = 1;
        if (random.nextDouble() < path.duplication()) {
            note(Fate.DUPLICATED, datagram.length);
            copies = 2;
        }
        for (int copy = 0; copy < copies; copy++) {
            long delay = path.latency().toNanos() + random.nextLong(path.jitter().toNanos() + 1);
            if (random.nextDouble() < path.tail()) {
                delay += random.nextLong(path.tailMax().toNanos() + 1);
            }
            byte[] arriving = damaged(path, datagram);
            simulation.at(free + delay, () -> {
                if (simulation.network().isCut(from, to)) {
                    note(Fate.CUT, arriving.length);
                } else {
                    arrive(to, source, arriving);
                }
            });
        }
    }

    private byte[] damaged(DatagramPath path, byte[] datagram) {
        byte[] result = datagram;
        if (random.nextDouble() < path.corruption() && datagram.length > 0) {
            note(Fate.CORRUPTED, datagram.length);
            result = datagram.clone();
            int flips = 1 + random.nextInt(8);
            for (int flip = 0; flip < flips; flip++) {
                result[random.nextInt(result.length)] ^= (byte) (1 << random.nextInt(8));
            }
        }
        if (random.nextDouble() < path.truncation() && result.length > 0) {
            note(Fate.TRUNCATED, datagram.length);
            result = Arrays.copyOf(result, random.nextInt(result.length));
        }
        return result;
    }

    private void arrive(SimulatedNode to, Endpoint source, byte[] datagram) {
        DatagramDriver receiver = to.datagrams();
        if (receiver == null) {
            note(Fate.NOBODY, datagram.length);
        } else if (receiver.waitingBytes() > 0 && receiver.waitingBytes() + datagram.length > receiveBufferBytes) {
            note(Fate.RECEIVER_FULL, datagram.length);
        } else {
            note(Fate.ARRIVED, datagram.length);
            receiver.onDatagram(source, datagram);
        }
    }

    private static long direction(SimulatedNode from, SimulatedNode to) {
        return (long) from.index() << 32 | to.index();
    }

    private static final int PORT = 7800;

    /** Time after a watch could not be connected until it is tried again; doubled with each failure, six times. */
    private static final long WATCH_RETRY_NANOS = 1_000_000_000L;

    /** Bytes of the headers of IP and UDP. */
    private static final int HEADER_BYTES = 28;
}
