package dev.tutti;

import dev.tutti.core.Printable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A condition of a node that is wrong for as long as it lasts: {@link Health#problems}. It is reported once it has
 * lasted a few seconds, by the event {@link Event.Kind#PROBLEM} and a warning in the log, again with growing pauses
 * while it lasts, and ended by {@link Event.Kind#PROBLEM_OVER}.
 *
 * @param kind kind of problem
 * @param group group that it concerns; empty if it concerns the node
 * @param subject address, host or node that it concerns; empty if there is no single one
 * @param since time when it was noticed first, by this process's clock
 * @param text the facts in words
 * @param advice the next step to take, in words
 */
public record Problem(Kind kind, String group, String subject, Instant since, String text, String advice) {

    public Problem {
        // Other members may have written these texts.
        group = Printable.escape(group);
        subject = Printable.escape(subject);
        text = Printable.escape(text);
        advice = Printable.escape(advice);
    }

    /** The kinds of problem, and whether a node that has one is ready. */
    public enum Kind {
        /** No session with any node, although addresses of others are known. The first node of a cluster has it, too. */
        ALONE(true),
        /**
         * An address refuses this node, does not trust it, or belongs to no node, while other addresses are connected.
         */
        REFUSED(true),
        /** This node refuses connections from a host. */
        REFUSING(true),
        /** Another node has a group of the same name that is set up differently: the two never share a view. */
        MISMATCH(true),
        /** Two nodes of the cluster have the same name: logs, charts and commands can't tell them apart. */
        SAME_NAME(true),
        /** The wall clock of this node is further from the clocks of the others than a component of the group allows. */
        CLOCK_WRONG(true),
        /** A send waits, and nothing that was submitted before leaves this node. */
        SEND_STUCK(true),
        /** A newcomer that receives the state makes no progress. */
        SNAPSHOT_STUCK(true),
        /** Joining a group takes long. */
        JOIN_STUCK(false),
        /** The state of a group is awaited, and makes no progress. */
        STATE_STUCK(false),
        /** A listener does not return: this member delivers nothing, and its senders will wait. */
        LISTENER_STUCK(false),
        /** The node's loop does not turn, or has ended. */
        LOOP_STALLED(false),
        /** This member is outside of the primary partition. */
        SUSPENDED(false),
        /** The group has ended at this member, and not because the application left it. */
        GROUP_LOST(false);

        private final boolean isReady;

        Kind(boolean isReady) {
            this.isReady = isReady;
        }

        /**
         * Returns whether a node with such a problem can do its own part: the cause lies elsewhere or in the
         * configuration.
         */
        public boolean isReady() {
            return isReady;
        }

        /** Returns the kind as it appears in documents: {@code listener-stuck}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Returns the problem as nested maps, for JSON. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("kind", kind.text());
        document.put("group", group);
        document.put("subject", subject);
        document.put("since", since.toString());
        document.put("text", text);
        document.put("advice", advice);
        return document;
    }

    @Override
    public String toString() {
        return text + " (since " + since + "); next step: " + advice;
    }
}
