package dev.tutti.sim;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.Machine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Process with one node: runs a {@link Machine} as a driver does, on simulated time.
 *
 * <p>Input waits until the node's turn; a turn takes all waiting input, then drains. A turn takes time, and its effects
 * happen when it is over. A node that is paused takes no turns while its connections live on, as under SIGSTOP.
 */
public final class SimulatedNode {

    /** State of the process. */
    public enum Life {
        DOWN,
        RUNNING,
        PAUSED
    }

    /** Input that a turn gives to the machine. */
    private interface Input {
        void give(Machine machine, long nowNanos);
    }

    private final Simulation simulation;
    private final int index;
    private final String name;
    private final String address;
    private final @Nullable MachineFactory factory;
    private final @Nullable DatagramMachineFactory datagramFactory;
    private final SplittableRandom random;
    private final ArrayDeque<Input> inbox = new ArrayDeque<>();
    /** Ends by number; looked up for each frame, and sorted before an iteration. */
    private final HashMap<Integer, SimulatedConnection.End> ends = new HashMap<>();

    private final List<SimulatedConnection.End> accepted = new ArrayList<>();

    private Life life = Life.DOWN;
    private boolean isPowered = true;
    private int run;
    private long lastIncarnation;
    private @Nullable NodeId id;
    private @Nullable Machine machine;

    /** Process between the network and the machine of a node on datagrams; null on streams. */
    private @Nullable DatagramProcess process;

    private int waitingDatagramBytes;
    private long stopBeforeNanos;
    private CountingMemory memory = new CountingMemory(0);
    private long memoryBytesMax = 64L * 1024 * 1024;
    private long turnNanos = 1_000;
    private long inputNanos = 200;
    private long coldNanos;
    private long coldHalfNanos = 1;
    private long driftPpm;
    private boolean isHasty;
    private long lateNanosMax;
    private long wallOffsetMillis;
    private long lastWallMillis;
    private long startedNanos;
    private long clockOriginNanos;
    private long deadlineNanos;
    private long wakeNanos;
    private long busyUntilNanos;
    private boolean isTurnPlanned;
    private boolean isStopping;
    private int idleTurns;
    private long turns;
    private long idleSinceNanos;
    private @Nullable SimulatedStore store;

    SimulatedNode(
            Simulation simulation,
            int index,
            String name,
            String address,
            @Nullable MachineFactory factory,
            @Nullable DatagramMachineFactory datagramFactory,
            SplittableRandom random) {
        this.simulation = simulation;
        this.index = index;
        this.name = name;
        this.address = address;
        this.factory = factory;
        this.datagramFactory = datagramFactory;
        this.random = random;
    }

    public String name() {
        return name;
    }

    public String address() {
        return address;
    }

    int index() {
        return index;
    }

    /** Returns the number of starts. */
    public int run() {
        return run;
    }

    public Life life() {
        return life;
    }

    /** Returns the id in the current run, or in the last. */
    public NodeId id() {
        NodeId current = id;
        if (current == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return current;
    }

    /** Returns the machine, for queries between turns; inputs go through {@link #execute}. */
    public Machine machine() {
        Machine current = machine;
        if (current == null) {
            throw new IllegalStateException(name + " is down");
        }
        return current;
    }

    /** Returns the memory of the current run, or of the last. */
    public CountingMemory memory() {
        return memory;
    }

    /** Returns the process of a node on datagrams, as the network sees it. */
    public DatagramProcess process() {
        DatagramProcess current = process;
        if (current == null) {
            throw new IllegalStateException(name + " is down, or on streams");
        }
        return current;
    }

    /** Returns the time of the node's own clock, which has any origin and may drift. */
    public long clockNanos() {
        long elapsed = simulation.nowNanos() - startedNanos;
        return clockOriginNanos + elapsed + elapsed / 1_000_000 * driftPpm;
    }

    /** Returns the records that the node keeps over its runs, for machines that need them. */
    public DurableStore store() {
        SimulatedStore present = store;
        if (present == null) {
            present = new SimulatedStore(simulation, this, simulation.fork());
            store = present;
        }
        return present;
    }

    /** Loses the node's records, except those that it is writing. */
    public void loseRecords() {
        if (store != null) {
            store.lose();
            trace(Trace.Kind.CLOCK, "records lost");
        }
    }

    // ------------------------------------------------------------------ what can be set

    /** Returns how many turns the node has taken, over all its runs. */
    public long turns() {
        return turns;
    }

    /** Sets the duration of a turn: a fixed part, and a part for each input in it. */
    public SimulatedNode withTurn(long turnNanos, long inputNanos) {
        if (turnNanos < 1) {
            throw new IllegalArgumentException("a turn of " + turnNanos + " ns, at least 1");
        }
        this.turnNanos = turnNanos;
        this.inputNanos = inputNanos;
        return this;
    }

    /**
     * Sets the extra duration of turns of a young process, whose code is not compiled yet and which starts with many
     * others: a random part of {@code turnNanos}, which is halved repeatedly.
     */
    public SimulatedNode withColdTurns(long turnNanos, long halvedEveryNanos) {
        if (turnNanos < 0 || halvedEveryNanos < 1) {
            throw new IllegalArgumentException("cold turns of " + turnNanos + " ns, halved every " + halvedEveryNanos + " ns");
        }
        coldNanos = turnNanos;
        coldHalfNanos = halvedEveryNanos;
        return this;
    }

    private long coldNanos() {
        long halvings = Math.min(Long.SIZE - 1, (simulation.nowNanos() - startedNanos) / coldHalfNanos);
        long bound = coldNanos >> halvings;
        return bound == 0 ? 0 : random.nextLong(bound);
    }

    /** Sets the memory that the node may hold, from its next start on; more is a violation of S23. */
    public SimulatedNode withMemory(long bytesMax) {
        memoryBytesMax = bytesMax;
        return this;
    }

    /** Sets the drift of the clock against true time, from the next start on. */
    public SimulatedNode withDrift(long partsPerMillion) {
        driftPpm = partsPerMillion;
        return this;
    }

    /**
     * Sets the precision of timers.
     *
     * @param isHasty whether timer calls come at random turns, although no timer is due
     * @param lateNanosMax highest delay of a timer
     */
    public SimulatedNode withTimers(boolean isHasty, long lateNanosMax) {
        this.isHasty = isHasty;
        this.lateNanosMax = lateNanosMax;
        return this;
    }

    /** Returns the wall clock, in milliseconds from an arbitrary origin that is the same at all nodes. */
    public long wallMillis() {
        return simulation.nowNanos() / 1_000_000 + WALL_MILLIS_MIN + wallOffsetMillis;
    }

    /**
     * Sets the wall clock forwards or back. The node only derives its next incarnation from it: a node that starts
     * after the clock was set back has a lower one than before.
     */
    public void setWallClock(Duration step) {
        wallOffsetMillis += step.toMillis();
        trace(Trace.Kind.CLOCK, "wall clock by " + step.toMillis() + " ms");
    }

    /**
     * Makes the clock of the machine leap forwards, as when a virtual machine was moved. It never goes back, as
     * guaranteed by the platform.
     */
    public void leap(Duration step) {
        if (step.isNegative()) {
            throw new IllegalArgumentException("clock of " + name + " by " + step + ", at least 0");
        }
        clockOriginNanos += step.toNanos();
        trace(Trace.Kind.CLOCK, "leaps by " + step.toMillis() + " ms");
        if (life != Life.DOWN) {
            wake(clockNanos());
        }
    }

    // ------------------------------------------------------------------ life

    public SimulatedNode start() {
        if (life != Life.DOWN) {
            throw new IllegalStateException(name + " is " + life);
        }
        run++;
        life = Life.RUNNING;
        isPowered = true;
        startedNanos = simulation.nowNanos();
        clockOriginNanos = random.nextLong(1L << 40);
        deadlineNanos = Long.MAX_VALUE;
        wakeNanos = Long.MAX_VALUE;
        busyUntilNanos = startedNanos;
        idleTurns = 0;
        isTurnPlanned = false;
        isStopping = false;
        // From the wall clock, with milliseconds first; above that of the previous run, unless the clock was set back.
        long wallMillis = wallMillis();
        long incarnation = wallMillis << 20 | random.nextInt(1 << 20);
        lastIncarnation = wallMillis < lastWallMillis ? incarnation : Math.max(incarnation, lastIncarnation + 1);
        while (!simulation.takeIncarnation(lastIncarnation)) {
            // One in a million pairs that start in the same millisecond collides, and such a node would find no others.
            lastIncarnation++;
        }
        lastWallMillis = wallMillis;
        NodeId self = new NodeId(lastIncarnation, name, address);
        id = self;
        memory = new CountingMemory(memoryBytesMax);
        create(self);
        trace(Trace.Kind.START, "run " + run);
        simulation.network().reappear(this);
        DatagramProcess datagrams = process;
        add(datagrams == null ? Machine::onStart : (current, now) -> datagrams.socket().onStart(now));
        return this;
    }

    private void create(NodeId self) {
        waitingDatagramBytes = 0;
        if (factory != null) {
            machine = factory.create(self, random.nextLong(), memory);
        } else if (datagramFactory != null) {
            process = datagramFactory.create(self, random.nextLong(), memory);
            machine = process.node();
        }
    }

    /** Kills the process: memory and unsent output are lost; its kernel ends the connections. */
    public void crash() {
        end(Trace.Kind.CRASH, "killed");
        for (SimulatedConnection.End end : takeEnds()) {
            simulation.network().abort(end);
        }
    }

    /** Turns the machine's power off: no peer is told, and dials get no answer. */
    public void powerOff() {
        isPowered = false;
        end(Trace.Kind.CRASH, "without power");
        for (SimulatedConnection.End end : takeEnds()) {
            simulation.network().vanish(end);
        }
    }

    /** Stops the process in order: {@code last} runs, and connections end after pending data was written. */
    public void stop(Driver.Task last) {
        execute(now -> {
            last.run(now);
            isStopping = true;
            stopBeforeNanos = simulation.nowNanos() + LINGER_NANOS;
            if (process != null) {
                simulation.at(stopBeforeNanos, runIfSame(this::plan));
            }
        });
    }

    private void stop() {
        end(Trace.Kind.STOP, "");
        for (SimulatedConnection.End end : takeEnds()) {
            if (end.isConnected()) {
                end.out().end();
            }
            simulation.network().forgetIfOver(end.connection);
        }
    }

    /** Pauses the node: no turns from now on, as under SIGSTOP or in a long garbage collection. */
    public void pause() {
        if (life == Life.RUNNING) {
            life = Life.PAUSED;
            trace(Trace.Kind.PAUSE, "");
        }
    }

    public void resume() {
        if (life == Life.PAUSED) {
            life = Life.RUNNING;
            trace(Trace.Kind.RESUME, "");
            plan();
        }
    }

    private void end(Trace.Kind kind, String how) {
        if (life == Life.DOWN) {
            throw new IllegalStateException(name + " is down");
        }
        life = Life.DOWN;
        machine = null;
        process = null;
        inbox.clear();
        trace(kind, how);
    }

    private List<SimulatedConnection.End> takeEnds() {
        List<SimulatedConnection.End> taken = new ArrayList<>(new TreeMap<>(ends).values());
        taken.addAll(accepted);
        ends.clear();
        accepted.clear();
        taken.removeIf(end -> !end.isOpen);
        for (SimulatedConnection.End end : taken) {
            end.isOpen = false;
        }
        return taken;
    }

    boolean isPowered() {
        return isPowered;
    }

    boolean isListening() {
        return life != Life.DOWN;
    }

    // ------------------------------------------------------------------ input

    /**
     * Runs {@code task} as a part of the node's next turn.
     *
     * @throws IllegalStateException if the node is down
     */
    public void execute(Driver.Task task) {
        if (life == Life.DOWN) {
            throw new IllegalStateException(name + " is down");
        }
        add((current, now) -> task.run(now));
    }

    void onKnock(SimulatedConnection connection, String remote) {
        SimulatedConnection.End end = connection.accept(this, run);
        accepted.add(end);
        add((current, now) -> {
            accepted.remove(end);
            end.number = current.onAccepted(now, remote);
            trace(Trace.Kind.ACCEPTED, remote + " as " + end.number);
            ends.put(end.number, end);
        });
    }

    void onDialled(SimulatedConnection.End end) {
        addFor(end, (current, now) -> {
            trace(Trace.Kind.CONNECTED, "as " + end.number);
            current.onConnected(now, end.number);
        });
    }

    void onDialFailed(SimulatedConnection.End end, DialFailure failure, String detail) {
        addFor(end, (current, now) -> {
            trace(Trace.Kind.DIAL_FAILED, end.number + " " + failure);
            forget(end);
            current.onDialFailed(now, end.number, failure, detail);
        });
    }

    void onFrame(SimulatedConnection.End end, byte[] frame, SimulatedConnection.Pipe pipe) {
        add((current, now) -> {
            if (end.isOpen) {
                simulation.trace()
                        .addFrame(simulation.nowNanos(), name, end.other().node.name(), end.number, frame);
                simulation.tap(end.other().node, this, frame);
                byte[] arrived = simulation.intercept(end.other().node, this, frame);
                current.onFrame(now, end.number, Packet.of(memory.adopt(arrived), 0, arrived.length));
            }
            pipe.onRead(frame.length);
        });
    }

    int waitingDatagramBytes() {
        return waitingDatagramBytes;
    }

    void onDatagram(Endpoint from, byte[] datagram) {
        DatagramProcess present = process;
        if (present == null) {
            return;
        }
        waitingDatagramBytes += datagram.length;
        add((current, now) -> {
            waitingDatagramBytes -= datagram.length;
            simulation.trace().addFrame(simulation.nowNanos(), name, "udp", (int) from.low(), datagram);
            Packet packet = Packet.of(memory.acquire(Math.max(1, datagram.length)), 0, 0);
            packet.append(datagram, 0, datagram.length);
            present.socket().onDatagram(now, from, packet);
        });
    }

    void onEnd(SimulatedConnection.End end, boolean isOrderly, String detail) {
        addFor(end, (current, now) -> {
            trace(Trace.Kind.DISCONNECTED, end.number + " " + detail);
            forget(end);
            end.out().discardWaiting();
            current.onDisconnected(now, end.number, isOrderly, detail);
        });
    }

    private void addFor(SimulatedConnection.End end, Input input) {
        if (end.isOpen) {
            add((current, now) -> {
                if (end.isOpen) {
                    input.give(current, now);
                }
            });
        }
    }

    private void forget(SimulatedConnection.End end) {
        end.isOpen = false;
        ends.remove(end.number);
        simulation.network().forgetIfOver(end.connection);
    }

    private void add(Input input) {
        if (life != Life.DOWN) {
            inbox.add(input);
            plan();
        }
    }

    // ------------------------------------------------------------------ turns

    private void plan() {
        if (!isTurnPlanned && life == Life.RUNNING) {
            isTurnPlanned = true;
            simulation.at(Math.max(simulation.nowNanos(), busyUntilNanos), runIfSame(() -> {
                isTurnPlanned = false;
                turn();
            }));
        }
    }

    private void turn() {
        Machine current = machine;
        if (life != Life.RUNNING || current == null) {
            return;
        }
        turns++;
        long now = clockNanos();
        int inputs = 0;
        List<Runnable> effects = new ArrayList<>();
        try {
            Input input = inbox.poll();
            while (input != null) {
                inputs++;
                input.give(current, now);
                input = inputs < INPUTS_MAX ? inbox.poll() : null;
            }
            // Set before effects are drained: submissions in them belong to a turn after their writes.
            busyUntilNanos = simulation.nowNanos() + turnNanos + inputs * inputNanos + coldNanos();
            boolean isDue = deadlineNanos <= now || isHasty && random.nextInt(HASTY_ONE_IN) == 0;
            DatagramProcess datagrams = process;
            if (datagrams == null) {
                if (isDue) {
                    current.onTimer(now);
                }
                current.drain(new Collector(effects));
                deadlineNanos = current.nextDeadline();
            } else {
                if (isDue) {
                    datagrams.socket().onTimer(now);
                }
                datagrams.socket().drain(new DatagramCollector(effects));
                deadlineNanos = datagrams.socket().nextDeadline();
            }
        } catch (RuntimeException e) {
            throw simulation.failure(name + " stopped: " + e, e);
        }
        countIdle(inputs == 0 && effects.isEmpty());
        apply(effects);
        DatagramProcess datagrams = process;
        boolean mayStop = datagrams == null
                || datagrams.isQuiet().getAsBoolean()
                || simulation.nowNanos() >= stopBeforeNanos;
        if (isStopping && mayStop) {
            isStopping = false;
            simulation.at(busyUntilNanos, runIfSame(this::stop));
        }
        if (!inbox.isEmpty()) {
            plan();
        }
        wake(now);
    }

    /** Fails if a machine's deadline never moves into the future, which would keep the simulation at one time. */
    private void countIdle(boolean isIdle) {
        if (!isIdle || simulation.nowNanos() - idleSinceNanos > IDLE_NANOS) {
            idleTurns = 0;
            idleSinceNanos = simulation.nowNanos();
        }
        idleTurns++;
        if (idleTurns > IDLE_TURNS_MAX) {
            throw simulation.failure(name + " spins: " + idleTurns + " turns without input or effect within "
                    + (simulation.nowNanos() - idleSinceNanos) + " ns");
        }
    }

    private void apply(List<Runnable> effects) {
        if (!effects.isEmpty()) {
            simulation.at(busyUntilNanos, runIfSame(() -> effects.forEach(Runnable::run)));
        }
    }

    private void wake(long clockNow) {
        if (deadlineNanos == Long.MAX_VALUE) {
            return;
        }
        // With a drifting clock this is early or late, which is harmless.
        long late = lateNanosMax == 0 ? 0 : random.nextLong(lateNanosMax + 1);
        long due = late + Math.max(simulation.nowNanos() + Math.max(0, deadlineNanos - clockNow), busyUntilNanos);
        if (due < wakeNanos) {
            wakeNanos = due;
            simulation.at(due, runIfSame(() -> {
                if (wakeNanos == due) {
                    wakeNanos = Long.MAX_VALUE;
                    plan();
                }
            }));
        }
    }

    /** Returns an action that only happens in the run in which it was planned. */
    private Runnable runIfSame(Runnable action) {
        int planned = run;
        return () -> {
            if (planned == run && life != Life.DOWN) {
                action.run();
            }
        };
    }

    private void trace(Trace.Kind kind, String text) {
        simulation.trace().add(simulation.nowNanos(), kind, name, text);
    }

    /** Effects of the machine, executed when the turn's time is over. */
    private final class Collector implements Effects {
        private final List<Runnable> effects;

        Collector(List<Runnable> effects) {
            this.effects = effects;
        }

        @Override
        public void dial(int connection, String remote) {
            effects.add(() -> ends.put(
                    connection, simulation.network().dial(SimulatedNode.this, run, connection, remote)));
        }

        @Override
        public void write(int connection, Packet frame) {
            if (frame.length() > Packet.FRAME_MAX) {
                throw new IllegalStateException(
                        "frame of " + frame.length() + " bytes, at most " + Packet.FRAME_MAX);
            }
            effects.add(() -> {
                SimulatedConnection.End end = ends.get(connection);
                if (end == null || !end.isConnected()) {
                    frame.release();
                } else {
                    end.out().write(frame);
                }
            });
        }

        @Override
        public void close(int connection, String reason) {
            effects.add(() -> {
                SimulatedConnection.End end = ends.remove(connection);
                if (end != null) {
                    trace(Trace.Kind.CLOSE, connection + " " + reason);
                    end.isOpen = false;
                    if (end.isConnected()) {
                        end.out().end();
                    }
                    simulation.network().forgetIfOver(end.connection);
                }
            });
        }
    }

    /** Effects of a machine on datagrams, which are copied when they are sent. */
    private final class DatagramCollector implements DatagramEffects {
        private final List<Runnable> effects;

        DatagramCollector(List<Runnable> effects) {
            this.effects = effects;
        }

        @Override
        public void resolve(String remote) {
            effects.add(() -> add((current, now) -> {
                DatagramProcess present = process;
                if (present != null) {
                    present.socket().onResolved(now, remote, simulation.datagrams().resolve(remote));
                }
            }));
        }

        @Override
        public void send(Endpoint to, Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> simulation.datagrams().send(SimulatedNode.this, to, bytes));
        }

        @Override
        public void multicast(Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> simulation.datagrams().multicast(SimulatedNode.this, bytes));
        }

        private static byte[] bytes(Packet datagram) {
            byte[] bytes = new byte[datagram.length()];
            datagram.bytes().get(datagram.offset(), bytes);
            datagram.release();
            return bytes;
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Time for which a stopped process on datagrams waits for its last ones to arrive. */
    private static final long LINGER_NANOS = 500_000_000L;

    private static final long WALL_MILLIS_MIN = 1_000_000_000L;
    private static final int HASTY_ONE_IN = 4;
    private static final int INPUTS_MAX = 256;
    private static final int IDLE_TURNS_MAX = 1_000;
    private static final long IDLE_NANOS = 10_000_000;
}
