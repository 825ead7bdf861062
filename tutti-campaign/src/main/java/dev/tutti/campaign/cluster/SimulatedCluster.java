package dev.tutti.campaign.cluster;

import dev.tutti.campaign.lies.Theme;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.Network;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.Trace;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
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

    private final Simulation simulation;
    private final ClusterSettings settings;
    private final ClusterNodes nodes;
    private final SimulatedGroup group;
    private final ClusterPaths paths;
    private final Outages outages;
    private final ClusterWait wait;
    private final MessageTrigger trigger;
    private final Chatter chatter;
    private @Nullable Liar liar;
    private @Nullable Neighbours neighbours;
    private int askedEvery;

    private SimulatedCluster(int size, long seed, NodeMaker maker, boolean isOnDatagrams) {
        simulation = new Simulation(seed);
        settings = new ClusterSettings(size, isOnDatagrams);
        nodes = new ClusterNodes(simulation, settings, maker, size, isOnDatagrams);
        group = new SimulatedGroup(simulation, GROUP, size, settings::group);
        paths = new ClusterPaths(simulation);
        outages = new Outages(nodes, group, settings);
        wait = new ClusterWait(simulation, group, this::describe);
        trigger = new MessageTrigger(simulation);
        chatter = new Chatter(simulation);
        simulation.withTap((from, to, frame) -> {
            if (trigger.awaits(frame)) {
                trigger.onFrame(numberOf(from), numberOf(to), frame);
            }
        });
    }

    /** Makes one node lie from now on. */
    public SimulatedCluster withLiar(int number, Theme theme) {
        Liar made = new Liar(this, number, theme, simulation.fork());
        liar = made;
        group.check(entry -> !made.isAbout(entry));
        simulation.withInterceptor(made);
        return this;
    }

    public @Nullable Liar liar() {
        return liar;
    }

    /** Returns the checker of all that members submit, deliver and install, as it happens. */
    public PropertyChecker checker() {
        return group.checker();
    }

    public MessageTrigger trigger() {
        return trigger;
    }

    /** Adds a consumer of the history's entries, which gets each entry after the checker. */
    public SimulatedCluster withWitness(Consumer<History.Entry> witness) {
        group.addWitness(witness);
        return this;
    }

    /** Adds a listener for the nodes' events, which also gets the number of the node. */
    public SimulatedCluster withListener(BiConsumer<Integer, NodeEvents.Event> listener) {
        nodes.addListener(listener);
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
            Settings former = neighbours == null ? OptionalLayers.settings() : neighbours.settings();
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

    /** Joins a new member to the second group, on a node that is up. */
    void joinAside(int number) {
        if (neighbours != null) {
            neighbours.join(number, node(number), packetSizes());
        }
    }

    private PacketSizes packetSizes() {
        return settings.packetSizes(datagrams().receiveBufferBytes());
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

    /** Lets nodes that are started from now on authenticate each other, and encrypt datagrams. */
    public SimulatedCluster withSecurity() {
        settings.setSecure();
        return this;
    }

    public DatagramNetwork datagrams() {
        return simulation.datagrams();
    }

    /** Returns the paths between the nodes, which hold until they are set again. */
    public ClusterPaths paths() {
        return paths;
    }

    public Outages outages() {
        return outages;
    }

    public Network network() {
        return simulation.network();
    }

    public int size() {
        return nodes.size();
    }

    public SimulatedNode node(int number) {
        return nodes.node(number);
    }

    List<SimulatedNode> nodes(Collection<Integer> numbers) {
        return nodes.nodes(numbers);
    }

    public SimulatedMember seat(int number) {
        return group.member(number);
    }

    public List<SimulatedMember> present() {
        return group.present();
    }

    public boolean isUp(int number) {
        SimulatedMember seat = group.find(number);
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
        return nodes.numberOf(node);
    }

    /** Returns the number of the node that coordinates the view of {@code number}. */
    public int coordinator(int number) {
        return numberOf(view(number).coordinator());
    }

    TreeSet<Integer> othersThan(int number) {
        return nodes.othersThan(List.of(number));
    }

    /** Returns the number of the node that coordinates the largest view of any member; 0 if there is no view. */
    public int coordinator() {
        View largest = group.largestView();
        return largest == null ? 0 : numberOf(largest.coordinator());
    }

    public int numberOf(SimulatedMember seat) {
        return numberOf(seat.node);
    }

    public boolean wasStarted(int number) {
        return group.find(number) != null;
    }

    /** Reports whether a node has the name and the address of a node of this cluster. */
    public boolean isAddressed(NodeId id) {
        return nodes.isAddressed(id);
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
            node(number).start();
            join(number);
            joinAside(number);
        }
        return this;
    }

    private void join(int number) {
        group.join(number, node(number), packetSizes(), askedEvery);
    }

    public SimulatedCluster advance(Duration duration) {
        simulation.advance(duration);
        return this;
    }

    SimulatedCluster advanceMillis(long millis) {
        return advance(Duration.ofMillis(millis));
    }

    /** Runs until nodes have received {@code frames} more frames in total, or a second has passed. */
    SimulatedCluster advanceFrames(long frames) {
        long goal = simulation.trace().count(Trace.Kind.FRAME) + frames;
        simulation.advanceUntil(
                () -> simulation.trace().count(Trace.Kind.FRAME) >= goal, Duration.ofSeconds(1));
        return this;
    }

    /** Runs until {@code condition} holds, checked every millisecond; fails if it takes longer than {@code limit}. */
    public SimulatedCluster until(String what, Duration limit, BooleanSupplier condition) {
        wait.until(what, limit, condition);
        return this;
    }

    public SimulatedCluster send(int from, int count, int length) {
        seat(from).send(null, count, length);
        sendAside(from);
        return this;
    }

    /** Makes every node send a short message about once in each {@code period}, until {@link #quiet}. */
    SimulatedCluster chatter(Duration period) {
        for (int number = 1; number <= nodes.size(); number++) {
            chatter(number, period);
        }
        return this;
    }

    /** Makes one node send, at random times, until {@link #quiet}. */
    SimulatedCluster chatter(int number, Duration period) {
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
        endAside(number);
        outages.crash(number);
        return this;
    }

    SimulatedCluster powerOff(int number) {
        endAside(number);
        outages.powerOff(number);
        return this;
    }

    private void endAside(int number) {
        if (neighbours != null) {
            neighbours.end(number);
        }
    }

    /** Stops a node in order: it says goodbye, and its process ends. */
    SimulatedCluster stop(int number) {
        outages.stop(number);
        return until("n" + number + " down", Duration.ofSeconds(1), () -> !isUp(number));
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
    SimulatedCluster joinAgain(int number) {
        // Messages delivered to the former member have to be consumed, or their memory is never released.
        seat(number).application.setPace(Duration.ZERO);
        seat(number).application.release();
        join(number);
        return this;
    }

    public SimulatedCluster leave(int number) {
        seat(number).leave();
        return this;
    }

    SimulatedCluster leaveIfMember(int number) {
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
        List<Integer> chosen = Arrays.stream(side).boxed().toList();
        network().partition(nodes.nodes(chosen), nodes.nodes(nodes.othersThan(chosen)));
        return this;
    }

    public SimulatedCluster heal() {
        network().heal();
        return this;
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
        return SimulatedGroup.isOneViewOf(present().stream().filter(filter).toList());
    }

    /** Waits for one view of all nodes that are up, and fails if it takes longer than {@code limit}. */
    public SimulatedCluster assertOneView(Duration limit) {
        wait.untilOneView(limit);
        return assertSafe();
    }

    SimulatedCluster assertOneViewOf(Duration limit, Integer... numbers) {
        TreeSet<String> names = new TreeSet<>();
        for (int number : numbers) {
            names.add("n" + number);
        }
        return until("one view of " + names, limit, () -> isOneViewOf(seat -> names.contains(seat.node.name())));
    }

    /** Fails if a safety property was violated. */
    public SimulatedCluster assertSafe() {
        wait.failIfAny(checker().violations());
        return this;
    }

    /**
     * Waits until the nodes that are up share one view, in which each can still send to all. Fails if an accepted
     * message is missing, a promise was broken, or a node still holds memory.
     */
    public SimulatedCluster assertComesToRest(Duration limit) {
        wait.untilOneView(limit);
        wait.untilSubmitted("everything submitted", limit);
        quiet();
        wait.untilAllArrived(limit);
        wait.untilNoMemoryKept();
        return this;
    }

    /** Returns a violation if a member was not told of something that it should know; null if all were told. */
    public @Nullable Violation untold() {
        return group.untold();
    }

    public List<Violation> missing() {
        return group.missing();
    }

    /** Describes the state of all nodes, for the message of a failure. */
    public String describe() {
        return group.describe() + (neighbours == null ? "" : neighbours.describe());
    }

    /** Adds up the members' counters, by name; those of a node are read before it crashes. */
    public TreeMap<String, Long> counters() {
        return outages.counters(simulation.trace());
    }
}
