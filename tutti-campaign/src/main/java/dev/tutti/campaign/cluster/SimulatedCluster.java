package dev.tutti.campaign.cluster;

import dev.tutti.campaign.lies.Theme;
import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.DatagramProcess;
import dev.tutti.sim.MachineFactory;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.Trace;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in virtual time, for scenarios. Nodes are numbered from 1, and all are in one group. Every assertion at the
 * end of a scenario also checks all promises of the group.
 */
public final class SimulatedCluster {

    static final String GROUP = "story";

    /** Value of the seeds setting with which each node knows only the next one, and the last one the first. */
    public static final List<String> NEXT_ONLY = List.of("next");
    private static final Duration STEP = Duration.ofMillis(1);

    private final Simulation simulation;
    private final History history = new History(this::take);
    private final List<Consumer<History.Entry>> witnesses = new ArrayList<>();
    private final List<BiConsumer<Integer, NodeEvents.Event>> listeners = new ArrayList<>();
    private @Nullable PropertyChecker checker;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<@Nullable SimulatedMember> seats = new ArrayList<>();
    private int askedEvery;
    private final NodeCounters counters = new NodeCounters();
    private final TreeMap<Integer, Integer> stopping = new TreeMap<>();
    private final MessageTrigger trigger;
    private @Nullable Liar liar;
    private @Nullable Neighbours neighbours;
    private final Chatter chatter;
    private boolean hasLostRecords;
    private Path path = Path.LOCAL;
    private DatagramPath datagramPath = DatagramPath.LOCAL;
    private final ClusterSettings settings;

    private SimulatedCluster(int size, long seed, NodeMaker maker, boolean isOnDatagrams) {
        simulation = new Simulation(seed);
        settings = new ClusterSettings(size, isOnDatagrams);
        trigger = new MessageTrigger(simulation);
        chatter = new Chatter(simulation);
        simulation.withTap((from, to, frame) -> {
            if (trigger.awaits(frame)) {
                trigger.onFrame(numberOf(from), numberOf(to), frame);
            }
        });
        for (int number = 1; number <= size; number++) {
            String name = "n" + number;
            int own = number;
            MachineFactory factory = (self, machineSeed, memory) -> {
                NodeMachine machine =
                        maker.make(self, settings.ofNode(own), machineSeed, memory, event -> onEvent(own, event));
                if (settings.isPrimary()) {
                    machine.useStore(node(own).store());
                }
                return machine;
            };
            nodes.add(isOnDatagrams
                    ? simulation.addOnDatagrams(name, name + ":7800", (self, machineSeed, memory) ->
                            onDatagrams((NodeMachine) factory.create(self, machineSeed, memory), machineSeed, memory))
                    : simulation.add(name, name + ":7800", factory));
            seats.add(null);
        }
    }

    private DatagramProcess onDatagrams(NodeMachine machine, long seed, Memory memory) {
        DatagramNode node = new DatagramNode(machine, settings.datagramLimits(receiveBufferBytes()), seed, seed * 31, memory);
        return new DatagramProcess(node, machine, node::isQuiet);
    }

    private int receiveBufferBytes() {
        return simulation.datagrams().receiveBufferBytes();
    }

    private void onEvent(int number, NodeEvents.Event event) {
        simulation.note("n" + number + " " + event);
        listeners.forEach(listener -> listener.accept(number, event));
    }

    private void take(History.Entry entry) {
        if (liar != null && liar.isAbout(entry)) {
            return;
        }
        checker().take(entry);
        witnesses.forEach(witness -> witness.accept(entry));
    }

    /** Makes one node lie from now on. */
    public SimulatedCluster withLiar(int number, Theme theme) {
        Liar made = new Liar(this, number, theme, simulation.fork());
        liar = made;
        simulation.withInterceptor(made);
        return this;
    }

    public @Nullable Liar liar() {
        return liar;
    }

    /** Returns the checker of all that members submit, deliver and install, as it happens. */
    public PropertyChecker checker() {
        PropertyChecker present = checker;
        if (present == null) {
            present = new PropertyChecker(ClusterSettings.promise(settings.group()));
            checker = present;
        }
        return present;
    }

    public MessageTrigger trigger() {
        return trigger;
    }

    /** Adds a consumer of the history's entries, which gets each entry after the checker. */
    public SimulatedCluster withWitness(Consumer<History.Entry> witness) {
        witnesses.add(witness);
        return this;
    }

    /** Adds a listener for the nodes' events, which also gets the number of the node. */
    public SimulatedCluster withListener(BiConsumer<Integer, NodeEvents.Event> listener) {
        listeners.add(listener);
        return this;
    }

    /** Creates a cluster whose nodes are down. */
    public static SimulatedCluster cluster(int size) {
        return cluster(size, 1);
    }

    public static SimulatedCluster cluster(int size, long seed) {
        return cluster(size, seed, NodeMachine::new);
    }

    /** Creates a cluster with nodes from {@code maker}. */
    public static SimulatedCluster cluster(int size, long seed, NodeMaker maker) {
        return new SimulatedCluster(size, seed, maker, false);
    }

    /** Creates a cluster of nodes on datagrams, whose network is {@link #datagrams}. */
    public static SimulatedCluster clusterOnDatagrams(int size, long seed) {
        return clusterOnDatagrams(size, seed, NodeMachine::new);
    }

    public static SimulatedCluster clusterOnDatagrams(int size, long seed, NodeMaker maker) {
        return new SimulatedCluster(size, seed, maker, true);
    }

    /** Sets the length of the largest datagram, for nodes that are started from now on. */
    public SimulatedCluster withDatagrams(int bytesMax) {
        settings.setDatagramBytesMax(bytesMax);
        return this;
    }

    /** Gives nodes that are started from now on only the first {@code count} addresses as seeds. */
    SimulatedCluster withSeeds(int count) {
        settings.setSeeds(count);
        return this;
    }

    public <T> SimulatedCluster with(Setting<T> setting, T value) {
        settings.set(setting, value);
        return this;
    }

    /** Sets a setting by its name: of the node, of the group, or, with a prefix, of a second group. */
    public SimulatedCluster with(String name, String text) {
        if (name.startsWith(Neighbours.PREFIX)) {
            Settings former = neighbours == null ? Settings.of(GroupSettings.ALL) : neighbours.settings();
            Settings next = former.with(name.substring(Neighbours.PREFIX.length()), text, Settings.Source.BUILDER, "schedule");
            neighbours = new Neighbours(simulation, next, nodes.size());
        } else {
            settings.set(name, text);
        }
        return this;
    }

    public Settings nodeSettings() {
        return settings.node();
    }

    public Settings groupSettings() {
        return settings.group();
    }

    /** Returns the second group; null if there is none. */
    public @Nullable Neighbours neighbours() {
        return neighbours;
    }

    /** Sends one message in the second group, if there is one. */
    SimulatedCluster sendAside(int number) {
        if (neighbours != null) {
            neighbours.send(number);
        }
        return this;
    }

    /** Makes a node's member leave the second group; returns whether there was one. */
    boolean leaveAside(int number) {
        SimulatedMember seat = neighbours == null ? null : neighbours.seat(number);
        boolean isPossible = seat != null && seat.isUp() && seat.application.isMember() && !isStopping(number);
        if (isPossible && seat != null) {
            seat.leave();
        }
        return isPossible;
    }

    /** Joins the second group again; returns whether the node's former member had left, so that this was possible. */
    boolean joinAsideAgain(int number) {
        SimulatedMember seat = neighbours == null ? null : neighbours.seat(number);
        boolean isPossible = seat != null
                && seat.application.isLeft()
                && node(number).life() == SimulatedNode.Life.RUNNING
                && !isStopping(number);
        if (isPossible) {
            joinAside(number);
        }
        return isPossible;
    }

    /** Joins a new member to the second group, on a node that is up. */
    SimulatedCluster joinAside(int number) {
        if (neighbours != null) {
            neighbours.join(number, node(number), settings.packetSizes(receiveBufferBytes()));
        }
        return this;
    }

    // ------------------------------------------------------------------ nodes

    public Simulation simulation() {
        return simulation;
    }

    /** Lets nodes that are started from now on reach all others with one datagram. */
    public SimulatedCluster withMulticast() {
        settings.setMulticast();
        return this;
    }

    public DatagramNetwork datagrams() {
        return simulation.datagrams();
    }

    public Network network() {
        return simulation.network();
    }

    public int size() {
        return nodes.size();
    }

    public SimulatedNode node(int number) {
        return nodes.get(number - 1);
    }

    List<SimulatedNode> nodes(Collection<Integer> numbers) {
        return numbers.stream().map(this::node).toList();
    }

    public SimulatedMember seat(int number) {
        SimulatedMember seat = seats.get(number - 1);
        if (seat == null) {
            throw new IllegalStateException("n" + number + " was never started");
        }
        return seat;
    }

    public List<SimulatedMember> present() {
        List<SimulatedMember> present = new ArrayList<>();
        for (SimulatedMember seat : seats) {
            if (seat != null && seat.isPresent()) {
                present.add(seat);
            }
        }
        return present;
    }

    public boolean isUp(int number) {
        SimulatedMember seat = seats.get(number - 1);
        return seat != null && seat.isUp();
    }

    /** Reports whether a node has a process, running or paused. */
    boolean hasProcess(int number) {
        return node(number).life() != SimulatedNode.Life.DOWN;
    }

    public View view(int number) {
        View view = seat(number).view();
        if (view == null) {
            throw new IllegalStateException("n" + number + " has no view");
        }
        return view;
    }

    public int numberOf(SimulatedNode node) {
        return nodes.indexOf(node) + 1;
    }

    /** Returns the number of the node that coordinates the view of {@code number}. */
    public int coordinator(int number) {
        return numberOf(view(number).coordinator());
    }

    TreeSet<Integer> othersThan(int number) {
        TreeSet<Integer> others = new TreeSet<>();
        for (int other = 1; other <= nodes.size(); other++) {
            if (other != number) {
                others.add(other);
            }
        }
        return others;
    }

    /** Returns the number of the node that coordinates the largest view of any member; 0 if there is no view. */
    public int coordinator() {
        View largest = null;
        for (SimulatedMember seat : present()) {
            View view = seat.view();
            if (view != null && (largest == null || view.size() > largest.size())) {
                largest = view;
            }
        }
        return largest == null ? 0 : numberOf(largest.coordinator());
    }

    public int numberOf(SimulatedMember seat) {
        return numberOf(seat.node);
    }

    public boolean wasStarted(int number) {
        return seats.get(number - 1) != null;
    }

    /** Reports whether a node has the name and the address of a node of this cluster. */
    public boolean isAddressed(NodeId id) {
        return nodes.stream().anyMatch(node -> node.name().equals(id.name()) && id.address().equals(node.name() + ":7800"));
    }

    public int numberOf(Member member) {
        return Integer.parseInt(member.name().substring(1));
    }

    // ------------------------------------------------------------------ events

    /** Makes members that start from now on ask for a receipt of each {@code every}th message; of none if it is 0. */
    public SimulatedCluster withReceipts(int every) {
        askedEvery = every;
        return this;
    }

    /** Starts all nodes, at one instant. */
    public SimulatedCluster start() {
        return start(IntStream.rangeClosed(1, nodes.size()).toArray());
    }

    public SimulatedCluster start(int... numbers) {
        for (int number : numbers) {
            SimulatedNode node = node(number);
            node.start();
            seats.set(number - 1, seat(node));
            joinAside(number);
        }
        return this;
    }

    private SimulatedMember seat(SimulatedNode node) {
        return new SimulatedMember(
                simulation, history, node, GROUP, settings.group(), settings.packetSizes(receiveBufferBytes()), askedEvery);
    }

    public SimulatedCluster advance(Duration duration) {
        simulation.advance(duration);
        return this;
    }

    public SimulatedCluster advanceMillis(long millis) {
        return advance(Duration.ofMillis(millis));
    }

    /** Runs until nodes have received {@code frames} more frames in total, or a second has passed. */
    public SimulatedCluster advanceFrames(long frames) {
        long goal = simulation.trace().count(Trace.Kind.FRAME) + frames;
        simulation.advanceUntil(
                () -> simulation.trace().count(Trace.Kind.FRAME) >= goal, Duration.ofSeconds(1));
        return this;
    }

    /** Runs until {@code condition} holds, checked every millisecond; fails if it takes longer than {@code limit}. */
    public SimulatedCluster until(String what, Duration limit, BooleanSupplier condition) {
        long end = simulation.nowNanos() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (simulation.nowNanos() >= end) {
                throw simulation.failure("not within " + limit.toMillis() + " ms: " + what + "\n" + describe());
            }
            simulation.advance(STEP);
        }
        return this;
    }

    public SimulatedCluster send(int from, int count, int length) {
        seat(from).send(null, count, length);
        sendAside(from);
        return this;
    }

    /** Makes every node send a short message about once in each {@code period}, until {@link #quiet}. */
    public SimulatedCluster chatter(Duration period) {
        for (int number = 1; number <= nodes.size(); number++) {
            chatter(number, period);
        }
        return this;
    }

    /** Makes one node send, at random times, until {@link #quiet}. */
    public SimulatedCluster chatter(int number, Duration period) {
        chatter.begin(period, () -> {
            if (isUp(number) && seat(number).ordersWaiting() == 0) {
                send(number, 1, 60);
            }
        });
        return this;
    }

    public SimulatedCluster quiet() {
        chatter.end();
        return this;
    }

    SimulatedCluster sendTo(int from, int to, int count, int length) {
        seat(from).send(seat(to).member(), count, length);
        return this;
    }

    public SimulatedCluster crash(int number) {
        rememberCounters(number);
        if (neighbours != null) {
            neighbours.end(number);
        }
        seat(number).crash();
        return this;
    }

    SimulatedCluster powerOff(int number) {
        rememberCounters(number);
        if (neighbours != null) {
            neighbours.end(number);
        }
        seat(number).powerOff();
        return this;
    }

    /** Stops a node in order: it says goodbye, and its process ends. */
    SimulatedCluster stop(int number) {
        rememberCounters(number);
        seat(number).stop();
        return until("n" + number + " down", Duration.ofSeconds(1), () -> !isUp(number));
    }

    /** Stops a node as {@link #stop} does, without waiting for the end of the process. */
    SimulatedCluster beginStop(int number) {
        rememberCounters(number);
        stopping.put(number, node(number).run());
        seat(number).stop();
        return this;
    }

    /** Reports whether this run of the node was told to stop. */
    boolean isStopping(int number) {
        return stopping.getOrDefault(number, 0) == node(number).run();
    }

    /**
     * Removes the records of a node that is down, but not of a founder: a founder counts in the first primary view by
     * its name, even if its record is lost.
     *
     * @return whether the records were removed
     */
    public boolean loseRecords(int number) {
        boolean isPossible = node(number).life() == SimulatedNode.Life.DOWN
                && wasStarted(number)
                && !settings.group().get(GroupSettings.FOUNDERS).contains("n" + number);
        if (isPossible) {
            node(number).loseRecords();
            hasLostRecords = true;
        }
        return isPossible;
    }

    public boolean hasLostRecords() {
        return hasLostRecords;
    }

    SimulatedCluster pause(int number) {
        node(number).pause();
        return this;
    }

    public SimulatedCluster resume(int number) {
        node(number).resume();
        return this;
    }

    public SimulatedCluster restart(int number) {
        return start(number);
    }

    /** Joins the group again as another member of the node, after its application has left. */
    public SimulatedCluster joinAgain(int number) {
        // Messages delivered to the former member have to be consumed, or their memory is never released.
        seat(number).application.setPace(Duration.ZERO);
        seat(number).application.release();
        seats.set(number - 1, seat(node(number)));
        return this;
    }

    public SimulatedCluster leave(int number) {
        seat(number).leave();
        return this;
    }

    public SimulatedCluster leaveIfMember(int number) {
        if (seat(number).application.isMember()) {
            leave(number);
        }
        return this;
    }

    /** Adds a line to the trace. */
    SimulatedCluster note(String text) {
        simulation.note(text);
        return this;
    }

    public SimulatedCluster partition(int... side) {
        TreeSet<Integer> chosen = new TreeSet<>(Arrays.stream(side).boxed().toList());
        List<SimulatedNode> inside = new ArrayList<>();
        List<SimulatedNode> outside = new ArrayList<>();
        for (int number = 1; number <= nodes.size(); number++) {
            (chosen.contains(number) ? inside : outside).add(node(number));
        }
        network().partition(inside, outside);
        return this;
    }

    public SimulatedCluster heal() {
        network().heal();
        return this;
    }

    /** Sets the paths between all nodes, which {@link #delay} changes for some of them. */
    public SimulatedCluster withPaths(Path path, DatagramPath datagramPath) {
        this.path = path;
        this.datagramPath = datagramPath;
        network().clearPaths();
        network().setPath(path);
        datagrams().clearPaths();
        datagrams().setPath(datagramPath);
        return this;
    }

    /** Makes frames from {@code here} to {@code there} take {@code more} time than the common path, from now on. */
    public SimulatedCluster delay(TreeSet<Integer> here, TreeSet<Integer> there, Duration more) {
        Path slowPath = path.withLatency(path.latency().plus(more), path.jitter());
        DatagramPath slowDatagrams = datagramPath.withLatency(datagramPath.latency().plus(more), datagramPath.jitter());
        for (SimulatedNode from : nodes(here)) {
            for (SimulatedNode to : nodes(there)) {
                network().setPath(from, to, slowPath);
                datagrams().setPath(from, to, slowDatagrams);
            }
        }
        return this;
    }

    /** Closes a node's session with another; returns whether the node runs and the other was ever started. */
    boolean giveUp(int number, int other) {
        boolean isPossible = isUp(number) && node(number).life() == SimulatedNode.Life.RUNNING && wasStarted(other);
        if (isPossible) {
            SimulatedMember seat = seat(number);
            node(number).execute(now -> seat.machine().giveUp(now, node(other).id(), "given up by the schedule"));
        }
        return isPossible;
    }

    SimulatedCluster breakConnections(int number, int other, Network.Notice notice) {
        network().breakConnections(node(number), node(other), notice);
        return this;
    }

    // ------------------------------------------------------------------ assertions

    public boolean isOneView() {
        return isOneViewOf(seat -> true);
    }

    /** Reports whether the present members that {@code filter} accepts share one view of exactly themselves. */
    public boolean isOneViewOf(Predicate<SimulatedMember> filter) {
        List<SimulatedMember> chosen = present().stream().filter(filter).toList();
        View common = null;
        for (SimulatedMember seat : chosen) {
            View view = seat.view();
            if (view == null || view.size() != chosen.size() || (common != null && !common.id().equals(view.id()))
                    || !view.contains(seat.member())) {
                return false;
            }
            common = view;
        }
        return true;
    }

    /** Waits for one view of all nodes that are up, and fails if it takes longer than {@code limit}. */
    public SimulatedCluster assertOneView(Duration limit) {
        until("one view of all that are up", limit, this::isOneView);
        return assertSafe();
    }

    public SimulatedCluster assertOneViewOf(Duration limit, Integer... numbers) {
        TreeSet<String> names = new TreeSet<>();
        for (int number : numbers) {
            names.add("n" + number);
        }
        return until("one view of " + names, limit, () -> isOneViewOf(seat -> names.contains(seat.node.name())));
    }

    /** Fails if a safety property was violated. */
    public SimulatedCluster assertSafe() {
        List<Violation> violations = checker().violations();
        if (!violations.isEmpty()) {
            throw simulation.failure(violations + "\n" + describe());
        }
        return this;
    }

    /**
     * Waits until the nodes that are up share one view, in which each can still send to all. Fails if an accepted
     * message is missing, a promise was broken, or a node still holds memory.
     */
    public SimulatedCluster assertComesToRest(Duration limit) {
        until("one view of all that are up", limit, this::isOneView);
        until("everything submitted", limit, () -> present().stream().allMatch(seat -> seat.ordersWaiting() == 0));
        quiet();
        for (SimulatedMember seat : present()) {
            seat.send(null, 1, 40);
        }
        advance(STEP).until("probes sent", limit, () -> present().stream().allMatch(seat -> seat.ordersWaiting() == 0));
        for (long waited = 0; waited < limit.toMillis() && !missing().isEmpty(); waited += 20) {
            advanceMillis(20);
        }
        advanceMillis(300);
        List<Violation> violations = missing();
        if (!violations.isEmpty()) {
            throw simulation.failure(violations + "\n" + describe());
        }
        return assertNoMemoryKept();
    }

    /** Returns a violation if a member was not told of something that it should know; null if all were told. */
    public @Nullable Violation untold() {
        for (SimulatedMember seat : seats) {
            if (seat != null && seat.hasMissedTheEnd()) {
                return new Violation("T4", seat + " has stopped, and its member was not told of the end of the group");
            }
            if (seat != null && settings.isPrimary() && seat.isSuspendedInSilence()) {
                return new Violation("T3", seat + " is outside of the primary partition, and was not told");
            }
        }
        return null;
    }

    public List<Violation> missing() {
        return checker().violationsAtRest(present().stream().map(SimulatedMember::member).toList());
    }

    private SimulatedCluster assertNoMemoryKept() {
        until("memory back at nothing", Duration.ofSeconds(20), () -> present().stream()
                .allMatch(seat -> seat.node.memory().outstandingBlocks() <= BLOCKS_AT_REST_MAX));
        return this;
    }

    /** Describes the state of all nodes, for the message of a failure. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        for (SimulatedMember seat : seats) {
            if (seat != null) {
                text.append(seat).append(' ').append(seat.node.life()).append(' ').append(seat.view());
                text.append(", submits ").append(seat.ordersWaiting()).append(" more, waits for '")
                        .append(seat.waitsFor()).append("', ");
                text.append(seat.node.memory().outstandingBlocks()).append(" blocks");
                if (seat.isUp()) {
                    text.append(' ');
                    seat.machine().report(new TextReport(text, ""));
                }
                text.append('\n');
            }
        }
        if (neighbours != null) {
            text.append(neighbours.describe());
        }
        return text.toString();
    }

    /** Adds up the members' counters, by name; those of a node are read before it crashes. */
    public TreeMap<String, Long> counters() {
        List<NodeMachine> running = new ArrayList<>();
        for (SimulatedMember seat : seats) {
            if (seat != null && seat.node.life() != SimulatedNode.Life.DOWN) {
                running.add(seat.machine());
            }
        }
        TreeMap<String, Long> sums = counters.with(running);
        for (Trace.Kind kind : Trace.Kind.values()) {
            sums.merge("trace." + kind.name().toLowerCase(Locale.ROOT), simulation.trace().count(kind), Long::sum);
        }
        return sums;
    }

    private void rememberCounters(int number) {
        counters.remember(seat(number).machine());
    }

    private static final long BLOCKS_AT_REST_MAX = 0;
}
