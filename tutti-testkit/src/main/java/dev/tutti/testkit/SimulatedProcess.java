package dev.tutti.testkit;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A process of the cluster: from one start to the next it has its first node, one component of the user on it, and the nodes
 * that the component starts beside it. Whatever happens to the process happens to all of them.
 */
final class SimulatedProcess {

    private final Simulation simulation;
    private final CooperativeThreads threads;
    private final Story story;
    private final Map<GroupHistory.Key, GroupHistory> records;
    private final Expectations expectations;
    private final Map<String, List<String>> names;
    private final String name;
    private final Supplier<NodeBuilder> builder;
    private final CooperativeThreads.Owner owner;

    /** The first node, and those beside it, each at an address of its own that it has again after a restart. */
    private final List<ProcessNode> nodes = new ArrayList<>();

    /** Incarnations of the nodes that the present run, or the last, has started. */
    private final TreeSet<Long> started = new TreeSet<>();

    private final List<Witness> witnesses = new ArrayList<>();
    private final ArrayDeque<Supplier<String>> lastMessages = new ArrayDeque<>();
    private final TreeSet<Long> crashed = new TreeSet<>();
    private @Nullable Object component;
    private long workNanos;
    private long driftPpm;
    private boolean isStopping;

    SimulatedProcess(
            Simulation simulation,
            CooperativeThreads threads,
            Story story,
            Map<GroupHistory.Key, GroupHistory> records,
            Expectations expectations,
            Map<String, List<String>> names,
            String name,
            Supplier<NodeBuilder> builder) {
        this.simulation = simulation;
        this.threads = threads;
        this.story = story;
        this.records = records;
        this.expectations = expectations;
        this.names = names;
        this.name = name;
        this.builder = builder;
        this.owner = new CooperativeThreads.Owner(name);
        nodes.add(new ProcessNode(this, simulation));
    }

    /** Starts a node beside those that are up, at the first address that is free. */
    Node startBeside(NodeBuilder from, NodeId by) {
        if (!isUp() || threads.isKilled() || !isOfPresentRun(by)) {
            throw new IllegalStateException("node " + by + " can't start a node beside it: its process has ended");
        }
        for (ProcessNode node : beside()) {
            if (!node.isUp()) {
                return start(node, from);
            }
        }
        if (nodes.size() > ProcessNode.BESIDE_MAX) {
            throw new IllegalStateException(name + " has " + ProcessNode.BESIDE_MAX + " nodes beside its first, the most that a process of a"
                    + " test may have: close one of them before the next");
        }
        ProcessNode node = new ProcessNode(this, simulation, first(), nodes.size());
        nodes.add(node);
        return start(node, from);
    }

    private Node start(ProcessNode node, NodeBuilder from) {
        Node present = node.start(from);
        started.add(present.id().incarnation());
        return present;
    }

    /** Returns the address of the first node. */
    ProcessNode first() {
        return nodes.getFirst();
    }

    private List<ProcessNode> beside() {
        return nodes.subList(1, nodes.size());
    }

    private List<ProcessNode> up() {
        return nodes.stream().filter(ProcessNode::isUp).toList();
    }

    String name() {
        return name;
    }

    /** Returns the hosts by their names; empty if no host has another name than its process. */
    Map<String, List<String>> names() {
        return names;
    }

    /** Returns the first node, which stands for the process in the network. */
    SimulatedNode simulated() {
        return first().simulated();
    }

    /** Returns the number of starts. */
    int run() {
        return simulated().run();
    }

    /** Returns the bytes of packets that its nodes hold, in their present runs or their last. */
    long heldBytes() {
        return nodes.stream().mapToLong(node -> node.simulated().memory().outstandingBytes()).sum();
    }

    CooperativeThreads threads() {
        return threads;
    }

    CooperativeThreads.Owner owner() {
        return owner;
    }

    long nowNanos() {
        return simulation.nowNanos();
    }

    /** Sets the drift of the clock that components see, in parts per million. */
    void setDrift(long partsPerMillion) {
        if (isUp() || Math.abs(partsPerMillion) > DRIFT_MAX) {
            throw new IllegalArgumentException(name + " has to be down, and its clock drifts by at most " + DRIFT_MAX + " ppm, not "
                    + partsPerMillion);
        }
        tell("has a clock that is faster by " + partsPerMillion + " ppm");
        driftPpm = partsPerMillion;
    }

    /** Returns the time that components see. */
    long shownNanos() {
        return nowNanos() + nowNanos() / 1_000_000 * driftPpm;
    }

    /** Returns the true length of a time that components measure. */
    long trueNanos(long shown) {
        return driftPpm == 0 ? shown : Math.round(shown / (1 + driftPpm / 1e6));
    }

    void after(long delayNanos, Runnable task) {
        simulation.after(Duration.ofNanos(delayNanos), task);
    }

    boolean isUp() {
        // Asked in each step of a run, of each process, and so without a stream, which was 4 % of the time of the tests of sites.
        for (ProcessNode node : nodes) {
            if (node.isUp()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it is up, and not paused. */
    boolean isRunning() {
        for (ProcessNode node : nodes) {
            if (node.isRunning()) {
                return true;
            }
        }
        return false;
    }

    boolean isCrashed(NodeId run) {
        return crashed.contains(run.incarnation());
    }

    /** Returns whether a node belongs to the present run of the process. */
    boolean isOfPresentRun(NodeId node) {
        return isUp() && started.contains(node.incarnation());
    }

    /** Returns the first node. */
    Node node() {
        checkUp();
        return first().node();
    }

    /** Returns whether the present run, or the last, was told to end in order. */
    boolean isEnding() {
        return isStopping;
    }

    /** Returns whether it is up, and about to end in order. */
    boolean isStopping() {
        return isStopping && isUp();
    }

    /** Returns the component that runs on it now; null while it is down or starting. */
    @Nullable Object component() {
        return isUp() ? component : null;
    }

    /** Returns the memberships of the present run. */
    List<Witness> memberships() {
        return witnesses.stream().filter(Witness::isMember).toList();
    }

    /** Returns whether threads run, or messages wait to be sent. */
    boolean isBusy() {
        return owner.isBusy() || witnesses.stream().anyMatch(witness -> witness.isMember() && witness.isSubmitting());
    }

    /** Returns the causes of {@link #isBusy}, for people. */
    String business() {
        List<String> waiting = new ArrayList<>();
        for (Witness witness : memberships()) {
            if (witness.isSubmitting()) {
                waiting.add("messages to group " + witness.group());
            }
        }
        return name + " has threads " + owner.threads() + " and waiting " + waiting;
    }

    /** Returns the groups whose state is being agreed upon or transferred, for people. */
    List<String> statesUnderWay() {
        List<String> underWay = new ArrayList<>();
        for (ProcessNode node : up()) {
            for (NodeInspection.GroupPart group : node.node().inspection().groups()) {
                String phase = group.part("state").text("phase");
                if (!phase.isEmpty() && !phase.equals("complete")) {
                    underWay.add(name + " is " + phase + " the state of group " + node.group(group.name()));
                }
            }
        }
        return underWay;
    }

    // ------------------------------------------------------------------ life

    /** Starts the process; its component is there when {@code factory} has returned. */
    void start(Function<? super Node, ?> factory) {
        if (isUp()) {
            throw new IllegalStateException(name + " runs already");
        }
        threads.kill(owner);
        witnesses.clear();
        lastMessages.clear();
        component = null;
        isStopping = false;
        tell("starts");
        started.clear();
        Node present = start(first(), builder.get().name(name));
        threads.start(owner, "main", () -> {
            Object made = factory.apply(present);
            if (made == null) {
                throw new IllegalStateException("the factory of components has returned null");
            }
            component = made;
        });
    }

    void crash(boolean isPowerLost) {
        checkUp();
        crashed.addAll(started);
        witnesses.forEach(Witness::onCrash);
        tell(isPowerLost ? "loses power" : "is killed");
        for (ProcessNode node : up()) {
            if (isPowerLost) {
                node.simulated().powerOff();
            } else {
                node.simulated().crash();
            }
        }
        threads.kill(owner);
    }

    /** Closes the component, if it can be closed, and the nodes, the last first; returns before they have ended. */
    void stop() {
        checkUp();
        if (isStopping) {
            throw new IllegalStateException(name + " is stopping already");
        }
        isStopping = true;
        tell("stops");
        Object present = component;
        threads.start(owner, "stop", () -> {
            if (present instanceof AutoCloseable closeable) {
                close(closeable);
            }
            up().reversed().forEach(node -> node.node().close());
        });
    }

    private void close(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the component of " + name + " can't be closed", e);
        }
    }

    void pause() {
        checkUp();
        tell("is paused");
        nodes.forEach(node -> node.simulated().pause());
        threads.pause(owner);
    }

    void resume() {
        checkUp();
        tell("goes on");
        nodes.forEach(node -> node.simulated().resume());
        threads.resume(owner);
    }

    private void checkUp() {
        if (!isUp()) {
            throw new IllegalStateException(name + " is down");
        }
    }

    // ------------------------------------------------------------------ what happens in it

    void setWork(Duration perMessage) {
        workNanos = perMessage.toNanos();
    }

    /** Waits for the time that a listener takes for a message. */
    void work() {
        if (workNanos > 0 && threads.isStrand()) {
            threads.sleep(workNanos);
        }
    }

    void onListenerFailure(GroupHistory.Key group, String callback, Throwable cause) {
        if (threads.isKilled()) {
            return;
        }
        tell("has a callback " + callback + " of group " + group + " that fails: " + cause);
        // Every listener that sends gets this exception when its group is left, and it does no harm any more.
        boolean isLeaving = cause instanceof SendException refused && refused.reason().isFinal();
        if (!isLeaving && !expectations.isExpected(cause)) {
            threads.fail(cause);
        }
    }

    /** Returns the witness of the membership that is being created, the same for its two ends. */
    Witness witness(ProcessNode node, String name, Settings settings) {
        GroupHistory.Key group = node.group(name);
        if (!witnesses.isEmpty() && witnesses.getLast().isNew(group, node.node().id())) {
            return witnesses.getLast();
        }
        GroupHistory record = records.computeIfAbsent(group, key -> expectations.record(name, settings));
        Witness witness = new Witness(group, this, node, node.node().id(), record);
        witnesses.add(witness);
        return witness;
    }

    private void tell(String what) {
        story.tell(name, what);
    }

    /** Tells what happens to one of its nodes. */
    void tell(ProcessNode node, String what) {
        story.tell(node.name(), what);
    }

    void tellDetail(ProcessNode node, String what) {
        story.tellDetail(node.name(), what);
    }

    /** Remembers a message; its text is made only if it is asked for. */
    void remember(Supplier<String> what) {
        if (lastMessages.size() >= MESSAGES_REMEMBERED) {
            lastMessages.poll();
        }
        lastMessages.add(what);
    }

    /** Returns its activity and state, for a failure. */
    String describe() {
        StringBuilder text = new StringBuilder(name).append(" is ");
        text.append(isRunning() ? "running" : isUp() ? "paused" : "down");
        if (isUp()) {
            TreeMap<GroupHistory.Key, View> views = new TreeMap<>();
            for (Witness witness : memberships()) {
                View view = witness.view();
                if (view != null) {
                    views.put(witness.group(), view);
                }
            }
            views.forEach((group, view) -> text.append(", in view ").append(view).append(" of group ").append(group));
        }
        if (!lastMessages.isEmpty()) {
            text.append("; last ").append(lastMessages.stream().map(Supplier::get).collect(Collectors.joining(", ")));
        }
        return text.toString();
    }

    private static final int MESSAGES_REMEMBERED = 4;
    private static final long DRIFT_MAX = 500_000;
}
