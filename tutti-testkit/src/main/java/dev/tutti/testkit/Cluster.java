package dev.tutti.testkit;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.Tap;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of the user's own components in virtual time; the test controls its network, processes and clock.
 *
 * <p>Processes are numbered from 1 and named {@code n1}, {@code n2} and so on. Each that is up has one {@link Node},
 * the real one, one component on it, and the nodes that the component starts beside it. Listeners and components run on threads of their own, one at a time while
 * virtual time stands still; when they wait for tutti, virtual time passes. So the same seed gives the same run, as
 * long as components take time and randomness from here ({@link #clock}, {@link #random}, {@link #scheduler}) and start
 * no threads.
 *
 * <p>Time passes only in methods of this class that say so, and while a component that the test has called waits. For
 * the test's thread alone.
 */
public final class Cluster implements AutoCloseable {

    private static final Duration VIEW_LIMIT = Duration.ofSeconds(30);
    private static final Duration REST_LIMIT = Duration.ofSeconds(60);
    private static final Duration ACTION_LIMIT = Duration.ofMinutes(10);
    private static final Duration STEP = Duration.ofMillis(1);

    private final Simulation simulation;
    private final CooperativeThreads threads;
    private final Story story;
    private final SplittableRandom random;
    private final Workload workload;
    private final TreeMap<GroupHistory.Key, GroupHistory> records = new TreeMap<>();
    private final Expectations expectations = new Expectations();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final ClusterState state;
    private final SiteMap sites;

    /** Hosts by their names; each process has a host of its own. */
    private final TreeMap<String, List<String>> names = new TreeMap<>();

    private UnaryOperator<NodeBuilder> configuration = UnaryOperator.identity();
    private @Nullable Function<? super Node, ?> factory;

    private Cluster(int size, long seed) {
        simulation = new Simulation(seed);
        threads = new CooperativeThreads(simulation);
        story = new Story(simulation);
        random = simulation.fork();
        workload = new Workload(simulation, threads);
        sites = new SiteMap(size, simulation.network(), processes);
        for (int number = 1; number <= size; number++) {
            int own = number;
            processes.add(new SimulatedProcess(
                    simulation, threads, story, records, expectations, names, "n" + number, () -> builder(own)));
        }
        state = new ClusterState(simulation, story, processes, records);
    }

    private NodeBuilder builder(int number) {
        return configuration.apply(sites.setUp(number, Node.of(Node.defaults()).name("n" + number)));
    }

    /**
     * Returns a cluster of processes that are down.
     *
     * @param size 1 to 64
     * @param seed seed of all randomness in it
     */
    public static Cluster of(int size, long seed) {
        if (size < 1 || size > SIZE_MAX) {
            throw new IllegalArgumentException("a cluster of " + size + " processes, 1 to " + SIZE_MAX);
        }
        return new Cluster(size, seed);
    }

    /**
     * Sets up the first nodes of processes from their next start on, as {@code builder -> builder.set("preset", "fast")}.
     * Components set up those that they {@linkplain Node#startBeside start beside them}.
     */
    public Cluster configure(UnaryOperator<NodeBuilder> settings) {
        configuration = settings;
        return this;
    }

    /**
     * Declares that in these groups no two messages have the same content. Their order, messages out of band,
     * unreliable groups, and the calls of listeners are then checked, too. Before anything is started.
     */
    public Cluster distinctMessages(Predicate<String> groups) {
        expectations.setDistinct(groups);
        return this;
    }

    /**
     * Makes some processes a site: a cluster of its own, of that name, whose first nodes have each other as seeds. Before anything is
     * started.
     *
     * @param name neither blank nor that of another site
     * @param numbers processes, each at one site at most
     */
    public Cluster site(String name, int... numbers) {
        sites.add(name, numbers);
        return this;
    }

    // ------------------------------------------------------------------ who is there

    public int size() {
        return processes.size();
    }

    public long seed() {
        return simulation.seed();
    }

    SimulatedProcess process(int number) {
        if (number < 1 || number > processes.size()) {
            throw new IllegalArgumentException("there is no n" + number + ", only n1 to n" + processes.size());
        }
        return processes.get(number - 1);
    }

    /** Returns the node of a process that is up. */
    public Node node(int number) {
        return process(number).node();
    }

    /** Returns the number of the process of {@code node}. */
    public int numberOf(Node node) {
        return Integer.parseInt(node.address().substring(1, node.address().indexOf(':')));
    }

    /** Returns the site of a process; empty if it is at none. */
    public String siteOf(int number) {
        return sites.of(number);
    }

    /** Returns the processes of a site, for {@link #partition(int...)}, {@link #crash} and others. */
    public int[] at(String site) {
        return sites.at(site);
    }

    /**
     * Returns addresses of all processes, at any site, as seeds for nodes that components start beside their first.
     *
     * @param place 1 for the first node that a process has beside another, 2 for the second, up to 8; 0 for the first nodes
     */
    public String[] addresses(int place) {
        return SiteMap.addresses(place, all());
    }

    private int[] all() {
        return IntStream.rangeClosed(1, size()).toArray();
    }

    public boolean isUp(int number) {
        return process(number).isUp();
    }

    /** Returns whether a process is up, not paused, and has its component. */
    public boolean isRunning(int number) {
        return process(number).isRunning() && process(number).component() != null;
    }

    List<Integer> runningNumbers() {
        return IntStream.of(all()).filter(this::isRunning).boxed().toList();
    }

    // ------------------------------------------------------------------ life of processes

    /**
     * Sets the component of each process, without starting one. Once.
     *
     * @param components makes the component of a process each time that it starts, on a thread of that process; it may
     *     join groups and wait for them
     */
    public <C> Components<C> deploy(Function<? super Node, ? extends C> components) {
        if (factory != null) {
            throw new IllegalStateException("a cluster has one kind of component, and it was given already");
        }
        factory = components;
        return new Components<>(this);
    }

    /** Starts all processes at one instant, and lets time pass until each has its component. */
    public <C> Components<C> startAll(Function<? super Node, ? extends C> components) {
        Components<C> deployed = deploy(components);
        start(all());
        return deployed;
    }

    /** Starts processes at one instant, again or for the first time, and lets time pass until each has its component. */
    public Cluster start(int... numbers) {
        begin(numbers);
        return advanceUntil("components of " + names(numbers), ACTION_LIMIT, () -> Arrays.stream(numbers)
                .allMatch(number -> process(number).component() != null || !isUp(number)));
    }

    /** Starts processes that have run before, as {@link #start} does. */
    public Cluster restart(int... numbers) {
        return start(numbers);
    }

    /** Starts processes without waiting for their components. */
    void begin(int... numbers) {
        Function<? super Node, ?> components = factory;
        if (components == null) {
            throw new IllegalStateException("nothing is deployed; call deploy or startAll first");
        }
        forEach(numbers, process -> process.start(components));
    }

    private Cluster forEach(int[] numbers, Consumer<SimulatedProcess> action) {
        threads.checkTest();
        Arrays.stream(numbers).mapToObj(this::process).forEach(action);
        return this;
    }

    /** Kills processes: their kernels close the connections, so the others notice. */
    public Cluster crash(int... numbers) {
        return forEach(numbers, process -> process.crash(false));
    }

    /** Cuts the power of machines: the others get no notice. */
    public Cluster powerOff(int... numbers) {
        return forEach(numbers, process -> process.crash(true));
    }

    /** Closes the components, if they are {@link AutoCloseable}, and the nodes, and lets time pass until they are down. */
    public Cluster stop(int... numbers) {
        forEach(numbers, SimulatedProcess::stop);
        return advanceUntil("end of " + names(numbers), ACTION_LIMIT, () ->
                Arrays.stream(numbers).noneMatch(this::isUp));
    }

    /** Pauses processes, as SIGSTOP does; their connections stay open. */
    public Cluster pause(int... numbers) {
        return forEach(numbers, SimulatedProcess::pause);
    }

    /** Resumes processes that were paused. */
    public Cluster resume(int... numbers) {
        return forEach(numbers, SimulatedProcess::resume);
    }

    /** Delays each message before the listeners of a process see it, from now on. */
    public Cluster slow(int number, Duration perMessage) {
        process(number).setWork(perMessage);
        story.tell(
                "n" + number,
                perMessage.isZero() ? "is quick again" : "takes " + perMessage.toMillis() + " ms for a message");
        return this;
    }

    /**
     * Steps the wall clock of a process forwards or back, as shown by its {@link dev.tutti.Threads#epochMillis} from
     * now on, over restarts too. {@link #clock} is not changed.
     */
    public Cluster setWallClock(int number, Duration step) {
        story.tell("n" + number, "has its wall clock set by " + step.toMillis() + " ms");
        process(number).simulated().setWallClock(step);
        return this;
    }

    /**
     * Lets the monotonic clock of a process that is down, and the timers of its components, run faster than true time.
     *
     * @param partsPerMillion by which it is faster; -500,000 to 500,000
     */
    public Cluster setDrift(int number, long partsPerMillion) {
        process(number).setDrift(partsPerMillion);
        return this;
    }

    /**
     * Accepts that callbacks throw failures of this kind from now on: they appear in the story, and the test does not
     * fail. For tests of components whose callbacks fail.
     */
    public Cluster expectCallbackFailures(Predicate<? super Throwable> failures) {
        expectations.setCallbackFailures(failures);
        return this;
    }

    // ------------------------------------------------------------------ the network

    /**
     * Gives processes a host name in common from now on, as the name of a headless service. Processes that start later look it up.
     *
     * @param numbers processes of the name, in the order of the name service
     */
    public Cluster hostName(String host, int... numbers) {
        story.tell("", host + " is the name of " + names(numbers));
        names.put(host, names(numbers));
        simulation.network().name(host + ":7800", process(numbers[0]).simulated());
        return this;
    }

    /** Cuts the network between these processes and all others, both ways. */
    public Cluster partition(int... side) {
        return partition(side, IntStream.of(all()).filter(number -> Arrays.stream(side).noneMatch(each -> each == number)).toArray());
    }

    /** Cuts the network between the processes of one side and those of the other, both ways. */
    public Cluster partition(int[] side, int[] otherSide) {
        List<SimulatedNode> inside = machines(side);
        List<SimulatedNode> outside = machines(otherSide);
        story.tell("", "the network parts " + inside + " from " + outside);
        simulation.network().partition(inside, outside);
        return this;
    }

    private List<SimulatedNode> machines(int... numbers) {
        return Arrays.stream(numbers).sorted().distinct().mapToObj(number -> process(number).simulated()).toList();
    }

    /** Cuts the network from one process to the other, while the way back stays open. */
    public Cluster cut(int from, int to) {
        story.tell("", "the network is cut from n" + from + " to n" + to);
        simulation.network().cut(process(from).simulated(), process(to).simulated());
        return this;
    }

    /** Heals the cut from one process to another. */
    public Cluster heal(int from, int to) {
        story.tell("", "the network is healed from n" + from + " to n" + to);
        simulation.network().heal(process(from).simulated(), process(to).simulated());
        return this;
    }

    /** Heals all cuts and partitions. */
    public Cluster heal() {
        story.tell("", "the network is healed");
        simulation.network().heal();
        return this;
    }

    /** Breaks the connections between two processes: data under way is lost, and both ends notice. */
    public Cluster breakConnections(int number, int other) {
        story.tell("", "connections between n" + number + " and n" + other + " break");
        simulation.network().breakConnections(process(number).simulated(), process(other).simulated(), Network.Notice.BOTH);
        return this;
    }

    /**
     * Sets the time of each frame between any two processes: {@code latency}, and up to {@code jitter} more. Sites may have {@linkplain
     * #latencyBetweenSites another}.
     */
    public Cluster latency(Duration latency, Duration jitter) {
        simulation.network().setPath(Path.LOCAL.withLatency(latency, jitter));
        return this;
    }

    /**
     * Sets the time of each frame between processes of different sites: {@code latency}, and up to {@code jitter} more.
     *
     * @throws IllegalStateException if there are no two sites
     */
    public Cluster latencyBetweenSites(Duration latency, Duration jitter) {
        sites.setLatency(latency, jitter);
        return this;
    }

    /**
     * Sets the capacity of each connection between processes of different sites.
     *
     * @throws IllegalStateException if there are no two sites
     */
    public Cluster bandwidthBetweenSites(long bytesPerSecond) {
        sites.setBandwidth(bytesPerSecond);
        return this;
    }

    /** Shows {@code tap} each frame when its receiver gets it. */
    void watch(Tap tap) {
        simulation.withTap(tap);
    }

    // ------------------------------------------------------------------ faults at random

    /**
     * Injects random faults for a time, of the given kinds or of all that this cluster can have. On return the network is healed, and all
     * processes are resumed, at normal speed and started again, but nothing has had time to settle.
     */
    public Cluster randomFaults(Duration duration, Fault... kinds) {
        threads.checkTest();
        new RandomFaults(this, sites, simulation.fork(), kinds).run(duration);
        return this;
    }

    // ------------------------------------------------------------------ time

    /** Returns the virtual time since the cluster was created. */
    public Duration elapsed() {
        return Duration.ofNanos(simulation.nowNanos());
    }

    /** Lets time pass. */
    public Cluster advance(Duration duration) {
        threads.advanceUntil(() -> false, duration);
        return this;
    }

    /**
     * Lets time pass until {@code condition} holds, which is checked every millisecond.
     *
     * @param what name of the condition in the failure's message
     * @throws AssertionError if it does not hold within {@code limit}
     */
    public Cluster advanceUntil(String what, Duration limit, BooleanSupplier condition) {
        return advanceUntil(() -> what, limit, condition);
    }

    private Cluster advanceUntil(Supplier<String> what, Duration limit, BooleanSupplier condition) {
        threads.checkTest();
        long end = simulation.nowNanos() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (simulation.nowNanos() >= end) {
                throw new AssertionError("not within " + limit.toMillis() + " ms: " + what.get());
            }
            advance(STEP);
        }
        return this;
    }

    /** Returns virtual time as a wall clock, for components. It begins on the first of January 2030. */
    public Clock clock() {
        return new VirtualClock(simulation);
    }

    /** Returns randomness that follows from the seed, for components and for the test. */
    public RandomGenerator random() {
        return random;
    }

    /**
     * Returns threads and timers of a process in virtual time, for components that need some. Ends with the process.
     *
     * @param node node of the process
     */
    public ScheduledExecutorService scheduler(Node node) {
        SimulatedProcess process = process(numberOf(node));
        return new VirtualScheduler(simulation, threads, process.owner(), () -> process.isOfPresentRun(node.id()));
    }

    // ------------------------------------------------------------------ work

    /** Runs {@code action} on a thread of a process, and lets time pass until it has ended, or the process has. */
    void runOn(int number, Runnable action) {
        threads.checkTest();
        boolean[] isDone = new boolean[1];
        threads.start(process(number).owner(), "test", () -> {
            action.run();
            isDone[0] = true;
        });
        advanceUntil("the end of an action on n" + number, ACTION_LIMIT, () -> isDone[0] || !isUp(number));
    }

    void keep(int number, Duration meanPause, Runnable action) {
        SimulatedProcess process = process(number);
        workload.keep(process, () -> isRunning(number) && !process.isStopping(), meanPause, action);
    }

    /** Ends the actions that {@link Components#keep} has begun. */
    public Cluster quiet() {
        workload.end();
        return this;
    }

    // ------------------------------------------------------------------ what holds

    /**
     * Waits for one view in each group of each cluster, of all its members on running processes, for 30 s at most. Each site is a cluster,
     * and nodes that components start may be in further ones.
     */
    public Cluster awaitOneView() {
        return awaitOneView(VIEW_LIMIT);
    }

    public Cluster awaitOneView(Duration limit) {
        return advanceUntil("one view in each group of all its members", limit, state::isOneView);
    }

    /** Waits for one view in each group of exactly its members on these processes. */
    public Cluster awaitOneViewOf(Duration limit, int... numbers) {
        List<SimulatedProcess> chosen = Arrays.stream(numbers).mapToObj(this::process).toList();
        return advanceUntil("one view of " + names(numbers), limit, new Memberships(chosen)::isOneView);
    }

    /**
     * Waits until each group has one view, everything sent is delivered, and no thread of a running process is active,
     * for a minute at most. Ends actions that {@link Components#keep} has begun.
     */
    public Cluster awaitRest() {
        return awaitRest(REST_LIMIT);
    }

    public Cluster awaitRest(Duration limit) {
        quiet();
        long end = simulation.nowNanos() + limit.toNanos();
        advanceUntil(
                () -> state.isOneView() ? "rest; still " + state.busy() : "rest; not one view in each group of all its members",
                limit,
                state::isAtRest);
        List<String> missing = state.missing();
        while (!missing.isEmpty() || !state.isAtRest()) {
            if (simulation.nowNanos() >= end) {
                throw new AssertionError("not at rest within " + limit.toMillis() + " ms: " + missing);
            }
            advance(Duration.ofMillis(20));
            missing = state.missing();
        }
        return this;
    }

    /**
     * Checks that no guarantee of tutti was broken in any reliable group; docs/guarantees.md. It is checked once more
     * after each test.
     */
    public Cluster assertSafe() {
        List<String> violations = state.violations();
        if (!violations.isEmpty()) {
            throw new AssertionError("tutti has broken its promises: " + violations);
        }
        return this;
    }

    // ------------------------------------------------------------------ telling

    /** Adds a line to the story, which a failure prints. */
    public Cluster note(String what) {
        story.tell("", what);
        return this;
    }

    /** Returns all events of processes, views and the network, a line each. */
    public List<String> story() {
        return story.lines();
    }

    /** Returns a number that is equal for two runs with the same events. */
    public long fingerprint() {
        return simulation.trace().hash();
    }

    /** Returns the bytes of packets that a process holds, in its present run or its last. */
    public long heldBytes(int number) {
        return process(number).heldBytes();
    }

    /** Returns the number of events of the simulation so far. */
    public long events() {
        return simulation.steps();
    }

    /** Returns the state of all processes and the last events, for a failure. */
    public String describe() {
        return state.describe();
    }

    private static List<String> names(int... numbers) {
        return Arrays.stream(numbers).mapToObj(number -> "n" + number).toList();
    }

    /** Throws a failure from outside the test's own thread since the last advance, and checks the guarantees. */
    void finish() {
        threads.throwFailure();
        assertSafe();
    }

    /** Ends all processes and their threads. */
    @Override
    public void close() {
        threads.close();
        for (SimulatedProcess process : processes) {
            threads.kill(process.owner());
        }
    }

    private static final int SIZE_MAX = 64;
}
