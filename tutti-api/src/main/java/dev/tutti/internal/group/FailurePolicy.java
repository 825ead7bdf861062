package dev.tutti.internal.group;

import dev.tutti.Message;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.internal.Host;
import dev.tutti.internal.delivery.Calls;
import dev.tutti.internal.diagnostics.CallbackFailures;
import dev.tutti.protocols.node.GroupSettings.OnException;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a group is left because a callback has failed ({@code docs/guarantees.md}, section "Callbacks that
 * fail"), and reports the failure. From any thread; never waits.
 */
final class FailurePolicy {

    /** The member of the group. */
    interface Leaver {

        /** Returns whether the group is left already. */
        boolean isLeft();

        /** Begins to leave because of {@code cause}. */
        void fail(RuntimeException cause);
    }

    private final String group;
    private final OnException onException;
    private final Host host;
    private final CallbackFailures reports;
    private final Leaver member;

    FailurePolicy(String group, OnException onException, Host host, CallbackFailures reports, Leaver member) {
        this.group = group;
        this.onException = onException;
        this.host = host;
        this.reports = reports;
        this.member = member;
    }

    /**
     * Handles a listener that has thrown.
     *
     * @param message message that it was called for; null if it was not called for one
     * @return whether delivery continues
     */
    boolean onFailed(String callback, @Nullable Message message, Throwable thrown) {
        boolean isGoingOn = thrown instanceof Exception && onException == OnException.GO_ON;
        boolean isOver = member.isLeft();
        String place = message == null ? callback : callback + " for " + message.length() + " bytes from " + message.sender();
        String text = "callback " + place + " has thrown " + thrown;
        String next = isOver ? "the group is over" : isGoingOn ? "delivery goes on" : "the group is left";
        if (!isGoingOn && !isOver) {
            // First: the report may fail for the same lack of memory.
            leave(text, thrown);
        }
        reports.report(thrown, callback, text, next);
        host.onCallbackFailed(group, callback, thrown);
        return isGoingOn;
    }

    /** Handles a component on the group that can't continue as at the other members. */
    void onComponentFailed(String callback, String consequence, Throwable cause) {
        boolean isOver = member.isLeft();
        String text = "callback " + callback + " has thrown " + cause + ": " + consequence;
        if (!isOver) {
            leave(text, cause);
        }
        reports.report(cause, callback, text, isOver ? "the group is over" : "the group is left");
        host.onCallbackFailed(group, callback, cause);
    }

    /** Handles a failure of delivery itself. */
    void onBroken(Throwable thrown) {
        String text = "delivery has failed with " + thrown;
        leave(text, thrown);
        reports.report(thrown, "delivery", text, "the group is left");
    }

    /** Handles a callback that does not return while messages wait behind it. */
    void onStuck(Calls.Running stuck, long nanos) {
        Member sender = stuck.sender();
        String text = "callback " + stuck.callback() + (sender == null ? "" : " for a message of " + sender) + " has not returned for "
                + nanos / 1_000_000_000 + " s while messages wait behind it (on-stuck, stuck-timeout)";
        RuntimeException cause = leave(text, null);
        reports.report(cause, stuck.callback(), text, "the group is left");
    }

    /** Handles messages that were handed over with a state and could not be sent; the group is not left. */
    void onNotHandedOver(SendException refusal, int unsent, int count) {
        reports.report(refusal, "handOver", unsent + " of " + count
                + " messages that were handed over with the state are not sent: " + refusal.getMessage(), "they are lost");
    }

    private RuntimeException leave(String text, @Nullable Throwable thrown) {
        IllegalStateException cause = new IllegalStateException("group " + group + ": " + text + "; the group is left", thrown);
        member.fail(cause);
        return cause;
    }

    /** Returns the last failure, if it was not long ago; otherwise empty. */
    String recent() {
        return reports.recent();
    }
}
