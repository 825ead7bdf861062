package dev.tutti.testkit;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.driver.Machine;
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
import org.jspecify.annotations.Nullable;

/** A process of the cluster: from one start to the next it has one node, and one component of the user on it. */
final class SimulatedProcess {

    private final Simulation simulation;
    private final CooperativeThreads threads;
    private final Story story;
    private final Map<String, GroupHistory> records;
    private final Expectations expectations;
    private final Map<String, List<String>> names;
    private final String name;
    private final SimulatedNode simulated;
    private final CooperativeThreads.Owner owner;
    private final List<Witness> witnesses = new ArrayList<>();
    private final ArrayDeque<String> lastMessages = new ArrayDeque<>();
    private final TreeSet<Long> crashed = new TreeSet<>();
    private @Nullable Node node;
    private @Nullable Object component;
    private long workNanos;
    private boolean isStopping;

    SimulatedProcess(
            Simulation simulation,
            CooperativeThreads threads,
            Story story,
            Map<String, GroupHistory> records,
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
        this.owner = new CooperativeThreads.Owner(name);
        this.simulated = simulation.add(name, name + ":7800", (self, seed, memory) -> open(builder.get(), self, seed, memory));
    }

    private Machine open(NodeBuilder builder, NodeId self, long seed, Memory memory) {
        SimulatedHost host = new SimulatedHost(this, self, seed, memory);
        node = builder.name(name).start(host);
        return host.machine();
    }

    String name() {
        return name;
    }

    /** Returns the hosts by their names; empty if no host has another name than its process. */
    Map<String, List<String>> names() {
        return names;
    }

    SimulatedNode simulated() {
        return simulated;
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

    void after(long delayNanos, Runnable task) {
        simulation.after(Duration.ofNanos(delayNanos), task);
    }

    boolean isUp() {
        return simulated.life() != SimulatedNode.Life.DOWN;
    }

    /** Returns whether it is up, and not paused. */
    boolean isRunning() {
        return simulated.life() == SimulatedNode.Life.RUNNING;
    }

    boolean isCrashed(NodeId run) {
        return crashed.contains(run.incarnation());
    }

    Node node() {
        Node present = node;
        if (present == null || !isUp()) {
            throw new IllegalStateException(name + " is down");
        }
        return present;
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
        for (NodeInspection.GroupPart group : node().inspection().groups()) {
            String phase = group.part("state").text("phase");
            if (!phase.isEmpty() && !phase.equals("complete")) {
                underWay.add(name + " is " + phase + " the state of group " + group.name());
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
        simulated.start();
        Node started = node();
        threads.start(owner, "main", () -> {
            Object made = factory.apply(started);
            if (made == null) {
                throw new IllegalStateException("the factory of components has returned null");
            }
            component = made;
        });
    }

    void crash(boolean isPowerLost) {
        checkUp();
        crashed.add(simulated.id().incarnation());
        witnesses.forEach(Witness::onCrash);
        tell(isPowerLost ? "loses power" : "is killed");
        if (isPowerLost) {
            simulated.powerOff();
        } else {
            simulated.crash();
        }
        threads.kill(owner);
    }

    /** Closes the component, if it can be closed, and the node; returns before they have ended. */
    void stop() {
        checkUp();
        if (isStopping) {
            throw new IllegalStateException(name + " is stopping already");
        }
        isStopping = true;
        tell("stops");
        Node closing = node();
        Object present = component;
        threads.start(owner, "stop", () -> {
            if (present instanceof AutoCloseable closeable) {
                close(closeable);
            }
            closing.close();
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
        simulated.pause();
        threads.pause(owner);
    }

    void resume() {
        checkUp();
        tell("goes on");
        simulated.resume();
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

    void onListenerFailure(String group, String callback, Throwable cause) {
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
    Witness witness(String group, NodeId self, Settings settings) {
        if (!witnesses.isEmpty()) {
            Witness last = witnesses.getLast();
            if (last.group().equals(group) && last.self() == null) {
                return last;
            }
        }
        GroupHistory record = records.computeIfAbsent(group, key -> expectations.record(group, settings));
        Witness witness = new Witness(group, this, self, record);
        witnesses.add(witness);
        return witness;
    }

    void tell(String what) {
        story.tell(name, what);
    }

    void tellDetail(String what) {
        story.tellDetail(name, what);
    }

    void remember(String what) {
        if (lastMessages.size() >= MESSAGES_REMEMBERED) {
            lastMessages.poll();
        }
        lastMessages.add(what);
    }

    /** Returns its activity and state, for a failure. */
    String describe() {
        StringBuilder text = new StringBuilder(name).append(" is ");
        switch (simulated.life()) {
            case DOWN -> text.append("down");
            case PAUSED -> text.append("paused");
            case RUNNING -> text.append("running");
        }
        if (isUp()) {
            TreeMap<String, View> views = new TreeMap<>();
            for (Witness witness : memberships()) {
                View view = witness.view();
                if (view != null) {
                    views.put(witness.group(), view);
                }
            }
            views.forEach((group, view) -> text.append(", in view ").append(view).append(" of group ").append(group));
        }
        if (!lastMessages.isEmpty()) {
            text.append("; last ").append(String.join(", ", lastMessages));
        }
        return text.toString();
    }

    private static final int MESSAGES_REMEMBERED = 4;
}
