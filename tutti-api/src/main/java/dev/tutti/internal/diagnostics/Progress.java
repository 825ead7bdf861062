package dev.tutti.internal.diagnostics;

import dev.tutti.Problem;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.internal.Check;
import dev.tutti.internal.delivery.Calls;
import dev.tutti.internal.delivery.DeliveryExecutor;
import dev.tutti.internal.diagnostics.Problems.Finding;
import dev.tutti.internal.state.StateTransfer;
import dev.tutti.internal.submission.SubmissionQueue;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reports whether a group makes progress from one look to the next. Used by the watch alone. */
public final class Progress {

    /** The group. */
    public interface Owner {

        String name();

        List<Check> checks();

        /** Returns whether everybody was asked. */
        boolean hasJoined();

        /** Returns the reason of the suspension; null if this member is not suspended. */
        @Nullable String suspendedBecause();

        /** Leaves the group because a callback does not return and other members wait for it. */
        void leaveStuck(Calls.Running stuck, long nanos);
    }

    private final Owner group;
    private final DeliveryExecutor executor;
    private final SubmissionQueue submissions;
    private final @Nullable StateTransfer state;
    private volatile long stuckNanosMax;
    private Calls.@Nullable Running running;
    private long messages = -1;
    private long runningNanos;
    private long taken = -1;
    private @Nullable StateProgress coming;
    private long givenBytes = -1;

    /** @param stuckNanosMax time after which a callback that has not returned makes the member leave */
    public Progress(Owner group, DeliveryExecutor executor, SubmissionQueue submissions, @Nullable StateTransfer state, long stuckNanosMax) {
        this.group = group;
        this.executor = executor;
        this.submissions = submissions;
        this.state = state;
        this.stuckNanosMax = stuckNanosMax;
    }

    /** Changes the time after which a callback that has not returned makes the member leave. */
    public void changeStuckNanosMax(long nanos) {
        stuckNanosMax = nanos;
    }

    public void look(long nowNanos, List<Finding> found) {
        lookAtListeners(nowNanos, found);
        lookAtSends(found);
        lookAtState(found);
        for (Check check : group.checks()) {
            Check.Remark remark = check.look();
            if (remark != null) {
                found.add(finding(remark.kind(), remark.subject(), remark.text(), remark.advice()));
            }
        }
        String suspended = group.suspendedBecause();
        if (suspended != null) {
            found.add(finding(
                    Problem.Kind.SUSPENDED,
                    "",
                    "group " + group.name() + " is suspended: " + suspended,
                    "bring back the members that are missing, or the network between; then the group goes on by itself"));
        }
    }

    private Finding finding(Problem.Kind kind, String subject, String text, String advice) {
        return new Finding(kind, group.name(), subject, text, advice);
    }

    /** Reports the callback that ran at the last look already, if no message of its packet was delivered since. */
    private void lookAtListeners(long nowNanos, List<Finding> found) {
        Calls.Running now = executor.running();
        long delivered = executor.messagesInOrder();
        if (now != null && now.equals(running) && (now.isAside() || delivered == messages)) {
            Member sender = now.sender();
            found.add(finding(
                    Problem.Kind.LISTENER_STUCK,
                    now.callback(),
                    "group " + group.name() + ": " + now.callback() + " does not return"
                            + (sender == null ? "" : ", for a message of " + sender)
                            + (now.isAside()
                                    ? ", in a scope or out of band; the next view has to wait for it"
                                    : "; this group delivers nothing here, and its senders will wait"),
                    "take a thread dump (jcmd " + ProcessHandle.current().pid()
                            + " Thread.dump_to_file FILE has virtual threads, too) and let the listener return"));
            long nanos = nowNanos - runningNanos;
            // A message in delivery only holds up its sender's window, by its length.
            boolean isWaitedFor = executor.unconsumedPackets() > (sender == null ? 0 : 1);
            if (nanos >= stuckNanosMax && isWaitedFor && delivered == messages) {
                group.leaveStuck(now, nanos);
            }
        } else {
            runningNanos = nowNanos;
        }
        running = now;
        messages = delivered;
    }

    private void lookAtSends(List<Finding> found) {
        long now = submissions.takenWhileSendsWait();
        if (now >= 0 && now == taken) {
            String reason = submissions.waitsFor();
            found.add(finding(
                    Problem.Kind.SEND_STUCK,
                    "",
                    "sends to group " + group.name() + " wait: "
                            + (reason.isEmpty() ? "the loop does not take what was submitted" : reason),
                    "look at the member that is waited for: tutti view there, and what its listener does"));
        }
        taken = now;
    }

    private void lookAtState(List<Finding> found) {
        StateTransfer transfer = state;
        if (transfer != null) {
            transfer.lookAtInstall();
        }
        StateProgress now = transfer == null ? null : transfer.progress();
        if (transfer != null && now != null && now.phase() != StateProgress.Phase.COMPLETE) {
            if (isSame(now, coming)) {
                Map<String, Object> status = transfer.status();
                String waitsFor = String.valueOf(status.get("waits-for"));
                found.add(finding(
                        Problem.Kind.STATE_STUCK,
                        "",
                        "the state of group " + group.name() + " makes no progress: "
                                + (waitsFor.isEmpty() ? "members agree whose state goes on" : "it waits for " + waitsFor) + "; "
                                + now.bytes() + " bytes have come",
                        waitsFor.contains(" of the application")
                                ? "take a thread dump (jcmd " + ProcessHandle.current().pid() + " Thread.dump_to_file FILE has virtual "
                                        + "threads, too) and let it return; state.timeout bounds the wait"
                                : "look at that member: tutti view there"));
            }
        } else if (!group.hasJoined()) {
            found.add(finding(
                    Problem.Kind.JOIN_STUCK,
                    "",
                    "group " + group.name() + " is not joined yet",
                    "look for members that do not answer: tutti view all; discovery.patience, or join-patience of the group,"
                            + " bounds the wait for them"));
        }
        coming = now;
        if (transfer != null) {
            Map<String, Object> status = transfer.status();
            boolean isGiving = status.get("transfers") instanceof Long transfers && transfers > 0;
            long given = status.get("sent-bytes") instanceof Long bytes ? bytes : 0;
            if (isGiving && given == givenBytes) {
                found.add(finding(
                        Problem.Kind.SNAPSHOT_STUCK,
                        "",
                        "the state of group " + group.name() + " that newcomers are given makes no progress; " + given
                                + " bytes were sent",
                        "see whether write() of the snapshot returns here, and read() or install() at the newcomer"));
            }
            givenBytes = isGiving ? given : -1;
        }
    }

    private static boolean isSame(StateProgress now, @Nullable StateProgress before) {
        return before != null
                && now.phase() == before.phase()
                && now.bytes() == before.bytes()
                && now.restarted() == before.restarted()
                && now.resumed() == before.resumed()
                && Objects.equals(now.provider(), before.provider());
    }
}
