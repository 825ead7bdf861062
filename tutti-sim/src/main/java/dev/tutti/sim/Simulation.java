package dev.tutti.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Simulation of nodes in virtual time: one thread, a queue of events by (time, sequence), all randomness from one seed.
 *
 * <p>The same seed and the same calls give the same run, event by event; {@link Trace#hash} shows it. Time only passes
 * in calls of {@link #advance}, {@link #advanceUntil} or {@link #step}. Not thread-safe.
 */
public final class Simulation {

    private final long seed;
    private final SplittableRandom root;
    private final Agenda agenda = new Agenda();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final HashSet<Long> incarnations = new HashSet<>();
    private final Trace trace;
    private final Network network;
    private final DatagramNetwork datagrams;
    private long nowNanos;
    private long steps;
    private Tap tap = (from, to, frame) -> {};
    private Interceptor interceptor = (from, to, frame) -> frame;

    public Simulation(long seed) {
        this.seed = seed;
        this.root = new SplittableRandom(seed);
        this.trace = new Trace(seed);
        this.network = new Network(this, root.split());
        this.datagrams = new DatagramNetwork(this, new SplittableRandom(~seed));
    }

    public long seed() {
        return seed;
    }

    /** Returns the virtual time since the start. Nodes have their own clocks, see {@link SimulatedNode#clockNanos}. */
    public long nowNanos() {
        return nowNanos;
    }

    public Network network() {
        return network;
    }

    public DatagramNetwork datagrams() {
        return datagrams;
    }

    public Trace trace() {
        return trace;
    }

    public List<SimulatedNode> nodes() {
        return List.copyOf(nodes);
    }

    /** Returns the number of events that have happened. */
    public long steps() {
        return steps;
    }

    /** Returns a new stream of randomness, for example for a workload. It depends on the number of earlier forks. */
    public SplittableRandom fork() {
        return root.split();
    }

    /**
     * Adds a node, which is down at first.
     *
     * @param name for people
     * @param address where others dial it, {@code host:port}
     */
    public SimulatedNode add(String name, String address, MachineFactory factory) {
        return register(new SimulatedNode(
                this,
                nodes.size(),
                null,
                name,
                address,
                streams(factory),
                root.split()));
    }

    /**
     * Adds a node on the machine of another one, which is down at first. The two have their wall clock, their power and
     * their network in common: paths and faults between two nodes are those between all nodes of their machines.
     *
     * @param first node that was added by {@link #add}
     * @param name for people
     * @param address where others dial it, {@code host:port}
     */
    public SimulatedNode addBeside(SimulatedNode first, String name, String address, MachineFactory factory) {
        return register(new SimulatedNode(
                this, nodes.size(), first.first(), name, address, streams(factory), root.split()));
    }

    private NodeDriver.Maker streams(MachineFactory factory) {
        return (node, self, machineSeed, inputs) ->
                new StreamDriver(this, node, factory.create(self, machineSeed, node.memory()), inputs);
    }

    /**
     * Adds a node on datagrams, which is down at first.
     *
     * @param name for people
     * @param address where others find it, {@code host:port}
     */
    public SimulatedNode addOnDatagrams(String name, String address, DatagramMachineFactory factory) {
        SimulatedNode node = new SimulatedNode(
                this,
                nodes.size(),
                null,
                name,
                address,
                (started, self, machineSeed, inputs) -> new DatagramDriver(
                        this, started, factory.create(self, machineSeed, started.memory()), inputs),
                root.split());
        datagrams.register(node);
        return register(node);
    }

    private SimulatedNode register(SimulatedNode node) {
        if (network.find(node.address()) != null) {
            throw new IllegalArgumentException("there is a node at " + node.address() + " already");
        }
        nodes.add(node);
        network.register(node);
        return node;
    }

    /** Runs {@code action} at a time, or now if that has passed. */
    public void at(long timeNanos, Runnable action) {
        agenda.add(Math.max(nowNanos, timeNanos), action);
    }

    public void after(Duration delay, Runnable action) {
        at(nowNanos + delay.toNanos(), action);
    }

    /** Lets time pass. */
    public void advance(Duration duration) {
        long end = nowNanos + duration.toNanos();
        while (!agenda.isEmpty() && agenda.nextNanos() <= end) {
            step();
        }
        nowNanos = end;
    }

    /**
     * Lets time pass until {@code condition} holds, which is evaluated after each event.
     *
     * @return whether it held within {@code limit}
     */
    public boolean advanceUntil(BooleanSupplier condition, Duration limit) {
        long end = nowNanos + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (agenda.isEmpty() || agenda.nextNanos() > end) {
                nowNanos = end;
                return condition.getAsBoolean();
            }
            step();
        }
        return true;
    }

    /**
     * Executes the next event.
     *
     * @return whether there was one
     */
    public boolean step() {
        if (agenda.isEmpty()) {
            return false;
        }
        nowNanos = agenda.nextNanos();
        steps++;
        agenda.take().run();
        return true;
    }

    /** Reserves an incarnation. Returns false if a node has had it. */
    boolean takeIncarnation(long incarnation) {
        return incarnations.add(incarnation);
    }

    /** Shows {@code tap} each frame when its receiver's machine gets it, to be read only. */
    public void withTap(Tap tap) {
        this.tap = tap;
    }

    /** Lets {@code interceptor} change each frame of a stream before its receiver's machine gets it. */
    public void withInterceptor(Interceptor interceptor) {
        this.interceptor = interceptor;
    }

    byte[] intercept(SimulatedNode from, SimulatedNode to, byte[] frame) {
        return interceptor.intercept(from, to, frame);
    }

    void tap(SimulatedNode from, SimulatedNode to, byte[] frame) {
        tap.onFrame(from, to, frame);
    }

    /** Adds a line of the caller to the trace. */
    public void note(String text) {
        trace.add(nowNanos, Trace.Kind.NOTE, "", text);
    }

    /** Creates the exception to throw on a failure, with the seed and the last events. */
    public SimulationException failure(String what, Throwable cause) {
        return new SimulationException(describe(what), cause);
    }

    /** Creates the exception to throw on a failure, with the seed and the last events. */
    public SimulationException failure(String what) {
        return new SimulationException(describe(what));
    }

    private String describe(String what) {
        return what + "\n  seed " + seed + ", at " + nowNanos / 1_000 + " us, trace hash " + Long.toHexString(trace.hash())
                + "; last events:\n  " + String.join("\n  ", trace.last(EVENTS_SHOWN));
    }

    private static final int EVENTS_SHOWN = 60;
}
