package dev.tutti.sim;

import dev.tutti.core.NodeId;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.Machine;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Process with one node: runs a {@link Machine} as a driver does, on simulated time. It may be started again after each
 * end.
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

    private final Simulation simulation;
    private final int index;

    /** First node on the same machine; this one, if there is no other. */
    private final SimulatedNode first;

    private final String name;
    private final String address;
    private final NodeDriver.Maker maker;
    private final SplittableRandom random;
    private final NodeClock clock;
    private final Processor processor;

    private Life life = Life.DOWN;

    /** True while the machine has power; kept at its first node. */
    private boolean isPowered = true;

    private int runs;
    private @Nullable NodeId id;

    /** Present run; null while the node is down. */
    private @Nullable NodeRun present;

    private long formerTurns;
    private CountingMemory memory = new CountingMemory(0);
    private long memoryBytesMax = 64L * 1024 * 1024;
    private @Nullable SimulatedStore store;

    /** @param first first node on the same machine; null if this is the first */
    SimulatedNode(
            Simulation simulation,
            int index,
            @Nullable SimulatedNode first,
            String name,
            String address,
            NodeDriver.Maker maker,
            SplittableRandom random) {
        this.simulation = simulation;
        this.index = index;
        this.first = first == null ? this : first;
        this.name = name;
        this.address = address;
        this.maker = maker;
        this.random = random;
        this.clock = first == null ? new NodeClock(simulation, random) : first.clock.beside(random);
        this.processor = new Processor(random);
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

    SimulatedNode first() {
        return first;
    }

    boolean isFirst() {
        return first == this;
    }

    /** Returns the number of the machine, which the network knows: the index of its first node. */
    int machineIndex() {
        return first.index;
    }

    /** Returns the number of starts. */
    public int run() {
        return runs;
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

    /**
     * Returns the machine, for queries between turns; inputs go through {@link #execute}.
     *
     * @throws IllegalStateException if the node is down
     */
    public Machine machine() {
        return present().driver().machine();
    }

    private NodeRun present() {
        NodeRun current = present;
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
        DatagramDriver datagrams = datagrams();
        if (datagrams == null) {
            throw new IllegalStateException(name + " is down, or on streams");
        }
        return datagrams.process();
    }

    /** Returns the time of the node's own clock, which has any origin and may drift. */
    public long clockNanos() {
        return clock.nanos();
    }

    /** Returns the records that the node keeps over its runs, for machines that need them. */
    public DurableStore store() {
        SimulatedStore kept = store;
        if (kept == null) {
            kept = new SimulatedStore(simulation, this, simulation.fork());
            store = kept;
        }
        return kept;
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
        return formerTurns + (present == null ? 0 : present.turns());
    }

    /** Sets the duration of a turn: a fixed part, and a part for each input in it. */
    public SimulatedNode withTurn(long turnNanos, long inputNanos) {
        processor.setTurn(turnNanos, inputNanos);
        return this;
    }

    /**
     * Sets the extra duration of turns of a young process, whose code is not compiled yet and which starts with many
     * others: a random part of {@code turnNanos}, which is halved repeatedly.
     */
    public SimulatedNode withColdTurns(long turnNanos, long halvedEveryNanos) {
        processor.setColdTurns(turnNanos, halvedEveryNanos);
        return this;
    }

    /** Sets the memory that the node may hold, from its next start on; more is a violation of S23. */
    public SimulatedNode withMemory(long bytesMax) {
        memoryBytesMax = bytesMax;
        return this;
    }

    /** Sets the drift of the clock against true time, from the next start on. */
    public SimulatedNode withDrift(long partsPerMillion) {
        clock.setDrift(partsPerMillion);
        return this;
    }

    /**
     * Sets the precision of timers.
     *
     * @param isHasty whether timer calls come at random turns, although no timer is due
     * @param lateNanosMax highest delay of a timer
     */
    public SimulatedNode withTimers(boolean isHasty, long lateNanosMax) {
        processor.setTimers(isHasty, lateNanosMax);
        return this;
    }

    /** Returns the wall clock, in milliseconds from an arbitrary origin that is the same at all nodes. */
    public long wallMillis() {
        return clock.wallMillis();
    }

    /**
     * Sets the wall clock forwards or back. The node only derives its next incarnation from it: a node that starts
     * after the clock was set back has a lower one than before.
     */
    public void setWallClock(Duration step) {
        clock.setWall(step);
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
        clock.leap(step);
        trace(Trace.Kind.CLOCK, "leaps by " + step.toMillis() + " ms");
        if (present != null) {
            present.wake();
        }
    }

    // ------------------------------------------------------------------ life

    public SimulatedNode start() {
        if (life != Life.DOWN) {
            throw new IllegalStateException(name + " is " + life);
        }
        runs++;
        life = Life.RUNNING;
        boolean wasPowered = isPowered();
        first.isPowered = true;
        clock.start();
        NodeId self = new NodeId(clock.nextIncarnation(), name, address);
        id = self;
        memory = new CountingMemory(memoryBytesMax);
        NodeRun run = new NodeRun(simulation, name, clock, processor, this::onStopped);
        present = run;
        NodeDriver driver;
        try {
            driver = maker.make(this, self, random.nextLong(), run::add);
        } catch (RuntimeException e) {
            run.end();
            present = null;
            life = Life.DOWN;
            throw e;
        }
        run.use(driver);
        trace(Trace.Kind.START, "run " + runs);
        simulation.network().reappear(this, !wasPowered);
        run.add(driver::onStart);
        return this;
    }

    /** Kills the process: memory and unsent output are lost; its kernel ends the connections. */
    public void crash() {
        end(Trace.Kind.CRASH, "killed").abort();
    }

    /** Turns the machine's power off: no peer is told, and dials get no answer. */
    public void powerOff() {
        NodeDriver ended = end(Trace.Kind.CRASH, "without power");
        first.isPowered = false;
        ended.vanish();
    }

    /** Stops the process in order: {@code last} runs, and connections end after pending data was written. */
    public void stop(Driver.Task last) {
        present().stop(last);
    }

    private void onStopped() {
        end(Trace.Kind.STOP, "").close();
    }

    /** Pauses the node: no turns from now on, as under SIGSTOP or in a long garbage collection. */
    public void pause() {
        if (life == Life.RUNNING) {
            life = Life.PAUSED;
            trace(Trace.Kind.PAUSE, "");
            present().pause();
        }
    }

    public void resume() {
        if (life == Life.PAUSED) {
            life = Life.RUNNING;
            trace(Trace.Kind.RESUME, "");
            present().resume();
        }
    }

    private NodeDriver end(Trace.Kind kind, String how) {
        NodeRun ended = present();
        life = Life.DOWN;
        present = null;
        formerTurns += ended.turns();
        ended.end();
        trace(kind, how);
        return ended.driver();
    }

    boolean isPowered() {
        return first.isPowered;
    }

    /** Returns the driver of a node on streams; null if the node is down or on datagrams. */
    @Nullable StreamDriver streams() {
        return present != null && present.driver() instanceof StreamDriver streams ? streams : null;
    }

    /** Returns the driver of a node on datagrams; null if the node is down or on streams. */
    @Nullable DatagramDriver datagrams() {
        return present != null && present.driver() instanceof DatagramDriver datagrams ? datagrams : null;
    }

    /**
     * Runs {@code task} as a part of the node's next turn.
     *
     * @throws IllegalStateException if the node is down
     */
    public void execute(Driver.Task task) {
        present().add(task);
    }

    /** Gives the machine on datagrams an input, with the time of its clock, unless the process has ended. */
    void onInput(ObjLongConsumer<DatagramMachine> input) {
        DatagramDriver datagrams = datagrams();
        if (datagrams != null) {
            datagrams.onInput(input);
        }
    }

    private void trace(Trace.Kind kind, String text) {
        simulation.trace().add(simulation.nowNanos(), kind, name, text);
    }

    @Override
    public String toString() {
        return name;
    }
}
