package dev.tutti.internal.diagnostics;

import dev.tutti.Problem;
import dev.tutti.Subscription;
import dev.tutti.core.driver.Driver;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.diagnostics.Problems.Finding;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.Trouble;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Looks once a second for problems of a node, on a thread that neither the loop nor listeners can block: asks the loop
 * for its troubles, which shows whether it turns, and checks whether each group makes progress.
 */
public final class Watch implements Driver.Task {

    /** Time between two looks. */
    static final long LOOK_NANOS = 1_000_000_000L;

    private static final Logger LOG = Logs.of(Watch.class);

    private final String node;
    private final Host host;
    private final NodeMachine machine;
    private final Problems problems;
    private final Supplier<List<Progress>> groups;

    /** Reasons why groups have ended that the application did not leave, by name. */
    private final Map<String, String> lost = new ConcurrentSkipListMap<>();

    private volatile boolean isAnswered = true;
    private volatile List<Trouble> troubles = List.of();

    /** The loop has ended; accessed by the watch only. */
    private boolean isLoopOver;

    public Watch(String node, Host host, NodeMachine machine, EventJournal journal, Supplier<List<Progress>> groups) {
        this.node = node;
        this.host = host;
        this.machine = machine;
        this.problems = new Problems(node, journal);
        this.groups = groups;
    }

    /** Starts to look, until the returned subscription is closed. */
    public Subscription start() {
        // A pool silently ends a periodic task that throws.
        Fence fence = new Fence(host, (callback, argument, thrown) ->
                LOG.error("node {}: internal error, a look for problems has failed; the next one follows", node, thrown));
        return host.every(LOOK_NANOS, fence.around("look", this::look));
    }

    public List<Problem> problems() {
        return problems.told();
    }

    /** Notes that a group has ended that the application did not leave. From any thread. */
    public void onLost(String group, String reason) {
        lost.put(group, reason);
    }

    /** Notes that the application joins the group, perhaps again. From any thread. */
    public void onJoining(String group) {
        lost.remove(group);
    }

    private void look() {
        List<Finding> found = new ArrayList<>();
        askLoop(found);
        for (Trouble trouble : troubles) {
            found.add(new Finding(kind(trouble.kind()), trouble.group(), trouble.subject(), trouble.text(), trouble.advice()));
        }
        for (Progress group : groups.get()) {
            group.look(host.nanoTime(), found);
        }
        lost.forEach((group, reason) -> found.add(new Finding(
                Problem.Kind.GROUP_LOST,
                group,
                "",
                "group " + group + " has ended at this member: " + reason,
                (reason.contains("record '") ? "make room on the disk of records.directory, or set another one; then " : "")
                        + "join the group again, or restart this process")));
        problems.look(host.nanoTime(), host.epochMillis(), found);
    }

    /** Asks the loop; one that has not answered since the last look stands still. */
    private void askLoop(List<Finding> found) {
        if (!isAnswered) {
            found.add(new Finding(
                    Problem.Kind.LOOP_STALLED,
                    "",
                    "",
                    isLoopOver
                            ? "the loop of this node has ended; it hears and sends nothing"
                            : "the loop of this node stands still; it hears and sends nothing",
                    isLoopOver
                            ? "restart this process; the log says why the loop has ended"
                            : "take a thread dump (jstack " + ProcessHandle.current().pid()
                                    + "): an inline listener or a listener of events may block"));
            return;
        }
        isAnswered = false;
        try {
            host.driver().execute(this);
        } catch (RejectedExecutionException e) {
            LOG.debug("node {}: the loop has ended", node);
            isLoopOver = true;
        }
    }

    /** Takes the machine's troubles. On the loop. */
    @Override
    public void run(long nowNanos) {
        troubles = machine.troubles();
        isAnswered = true;
    }

    private static Problem.Kind kind(Trouble.Kind kind) {
        return switch (kind) {
            case ALONE -> Problem.Kind.ALONE;
            case REFUSED -> Problem.Kind.REFUSED;
            case REFUSING -> Problem.Kind.REFUSING;
            case MISMATCH -> Problem.Kind.MISMATCH;
            case SAME_NAME -> Problem.Kind.SAME_NAME;
        };
    }
}
