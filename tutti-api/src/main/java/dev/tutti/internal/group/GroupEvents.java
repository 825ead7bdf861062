package dev.tutti.internal.group;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.internal.diagnostics.EventJournal;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Writes the events of a group to the node's journal, and to the log. From any thread. */
final class GroupEvents {

    private static final Logger LOG = Logs.of(Group.class);

    private final String group;
    private final EventJournal journal;

    /** Progress of the state transfer that was reported last; guarded by this. */
    private @Nullable StateProgress told;

    GroupEvents(String group, EventJournal journal) {
        this.group = group;
        this.journal = journal;
    }

    void onJoined(@Nullable View view) {
        journal.on(Event.Kind.JOINED, group, "joined, in " + view, "", Map.of());
    }

    void onView(@Nullable View before, View installed) {
        journal.onView(group, before, installed);
        LOG.info("group {}: view {} with {} members {}", group, installed.id(), installed.size(), installed.members());
    }

    void onSuspended(String reason) {
        LOG.warn("group {}: {}", group, reason);
    }

    void onLeft(String reason) {
        journal.on(Event.Kind.LEFT, group, "left", reason, Map.of());
    }

    void onSendWaited(long nanos, String reason) {
        long millis = nanos / 1_000_000;
        journal.onFrequent(Event.Kind.SEND_WAITED, group, "a send has waited for " + millis + " ms", reason, Map.of("millis", millis));
    }

    void onSlowListener(Member sender, long nanos) {
        long millis = nanos / 1_000_000;
        journal.onFrequent(Event.Kind.SLOW_LISTENER, group,
                "the listener has taken " + millis + " ms for a packet of " + sender, "",
                Map.of("millis", millis, "sender", sender.name()));
    }

    void onUnreadable(@Nullable Member sender) {
        journal.onFrequent(Event.Kind.UNREADABLE, group, "a packet of " + sender + " can't be decoded; its messages are not"
                + " delivered at any member", "", Map.of("sender", sender == null ? "" : sender.name()));
    }

    void onStateFailed(String reason, @Nullable Throwable cause) {
        LOG.error("group {}: {}; the group is left", group, reason, cause);
        journal.on(Event.Kind.STATE, group, "state transfer failed; the group is left", reason, Map.of("phase", "failed"));
    }

    /** Reports the progress of the state transfer, once for each phase, provider and restart. */
    void onState(StateProgress now) {
        Member provider = now.provider();
        synchronized (this) {
            StateProgress before = told;
            boolean isSame = before != null
                    && before.phase() == now.phase()
                    && Objects.equals(before.provider(), provider)
                    && before.restarted() == now.restarted();
            boolean isNothing = before == null && now.phase() == StateProgress.Phase.AGREEING;
            if (isSame || isNothing) {
                return;
            }
            told = now;
        }
        String text = switch (now.phase()) {
            case AGREEING -> "members agree whose state goes on";
            case INSTALLING -> provider == null ? "the state is awaited" : "the state comes from " + provider;
            case COMPLETE -> "the state is here";
        };
        journal.on(Event.Kind.STATE, group, text, "", Map.of(
                "phase", now.phase().name().toLowerCase(Locale.ROOT),
                "bytes", now.bytes(),
                "resumed", now.resumed(),
                "restarted", now.restarted()));
    }
}
