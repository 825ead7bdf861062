package dev.tutti.campaign.application;

import dev.tutti.Node;
import dev.tutti.StateException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of one process in one group: a membership, and another one when it has ended. */
final class Talker {

    private final Context context;
    private final GroupPlan plan;
    private final Node node;
    private final int process;
    private final List<GroupMember> seats = new ArrayList<>();
    private @Nullable GroupMember present;
    private boolean isWorking;

    Talker(Context context, GroupPlan plan, Node node, int process) {
        this.context = context;
        this.plan = plan;
        this.node = node;
        this.process = process;
    }

    /** Joins the group if it is not joined, else works in it; does nothing while earlier work is under way. */
    void work() {
        if (isWorking || context.isQuiet && !isMissed()) {
            return;
        }
        isWorking = true;
        node.threads().start("work " + plan.name(), () -> {
            try {
                GroupMember seat = present;
                if (seat == null) {
                    join();
                } else if (context.plan.isLeaving() && context.random.nextInt(LEAVE_ONE_IN) == 0) {
                    seat.close();
                } else {
                    seat.work();
                }
            } finally {
                isWorking = false;
            }
        });
    }

    /** Reports whether others may wait for its vote: it is no member, and none that stayed has released it. */
    private boolean isMissed() {
        return plan.isPrimary() && present == null && (seats.isEmpty() || !seats.getLast().isReleased());
    }

    private void join() {
        GroupMember seat = new GroupMember(context, plan, node, process, seats.size() + 1, this::onEnd);
        seats.add(seat);
        present = seat;
        long beginNanos = context.nowNanos();
        try {
            seat.onJoined(seat.builder().join());
        } catch (StateException e) {
            context.reached.count("not-joined.state");
            present = null;
            check(seat, e);
        } catch (IllegalStateException e) {
            context.reached.count("not-joined");
            present = null;
            check(seat, e);
        }
        long seconds = (context.nowNanos() - beginNanos) / 1_000_000_000;
        if (seconds > JOIN_SECONDS_MAX) {
            context.findings.report("T1", seat + " has waited " + seconds + " s for join");
        }
    }

    /** Checks why a join failed: the last membership has ended, so that it cannot be the reason. */
    private void check(GroupMember seat, IllegalStateException failure) {
        if (String.valueOf(failure.getMessage()).contains("already")) {
            context.findings.report("T1", seat + " can't join, though its group is closed: " + failure);
            return;
        }
        if (!String.valueOf(failure.getMessage()).contains(plan.name()) && !String.valueOf(failure.getMessage()).contains("node")) {
            context.findings.report("T1", seat + " is not told what it could not join: " + failure);
        }
    }

    private void onEnd() {
        present = null;
    }

    void close() {
        GroupMember seat = present;
        if (seat != null) {
            seat.close();
        }
    }

    GroupPlan plan() {
        return plan;
    }

    @Nullable GroupMember open() {
        GroupMember seat = present;
        return seat != null && seat.isOpen() ? seat : null;
    }

    List<GroupMember> seats() {
        return seats;
    }

    private static final int LEAVE_ONE_IN = 50;
    private static final int JOIN_SECONDS_MAX = 90;
}
