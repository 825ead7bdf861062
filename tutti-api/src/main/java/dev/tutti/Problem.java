package dev.tutti;

import dev.tutti.core.Printable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Something that is wrong with a node for as long as it lasts: {@link Health#problems}. It is told once it has lasted a few
 * seconds, by the event {@link Event.Kind#PROBLEM} and a warning in the log, again and again with growing pauses while it
 * lasts, and taken back by {@link Event.Kind#PROBLEM_OVER}.
 *
 * @param kind of problem
 * @param group it is about; empty if it is about the node
 * @param subject address, host or node that it is about; empty if there is no single one
 * @param since when it was noticed first, by this process's clock
 * @param text the facts in words
 * @param advice the next step to take, in words
 */
public record Problem(Kind kind, String group, String subject, Instant since, String text, String advice) {

    public Problem {
        // Others may have made them.
        group = Printable.escape(group);
        subject = Printable.escape(subject);
        text = Printable.escape(text);
        advice = Printable.escape(advice);
    }

    /** The kinds of problem, and whether a node that has one is ready. */
    public enum Kind {
        /** No session with any node, although addresses of others are known. The first node of a cluster has it, too. */
        ALONE(true),
        /** An address refuses this node, does not trust it, or is no node's, while others are met. */
        REFUSED(true),
        /** This node refuses those who connect from a host. */
        REFUSING(true),
        /** Another node has a group of the same name that is set up differently: the two do not meet in it. */
        MISMATCH(true),
        /** Two nodes of the cluster have the same name: logs, charts and commands can't tell them apart. */
        SAME_NAME(true),
        /** The wall clock of this node is further from the clocks of the others than a component of the group allows. */
        CLOCK_WRONG(true),
        /** A send waits, and nothing that was submitted before leaves this node. */
        SEND_STUCK(true),
        /** A newcomer is given the state, and makes no progress. */
        SNAPSHOT_STUCK(true),
        /** A group is being joined for long. */
        JOIN_STUCK(false),
        /** The state of a group is awaited, and makes no progress. */
        STATE_STUCK(false),
        /** A listener does not return: this member delivers nothing, and its senders will wait. */
        LISTENER_STUCK(false),
        /** The node's loop does not turn, or has ended. */
        LOOP_STALLED(false),
        /** This member stands outside of the primary partition. */
        SUSPENDED(false),
        /** The group has ended at this member, and not because the application left it. */
        GROUP_LOST(false);

        private final boolean isReady;

        Kind(boolean isReady) {
            this.isReady = isReady;
        }

        /** Whether a node with such a problem can do its own part, so that the cause lies with others or the configuration. */
        public boolean isReady() {
            return isReady;
        }

        /** As in documents: {@code listener-stuck}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** As nested maps, for JSON. */
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
