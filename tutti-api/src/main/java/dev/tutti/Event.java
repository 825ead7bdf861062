package dev.tutti;

import dev.tutti.core.Printable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Something that has happened to a node, as it saw it: rare things, never one for a message. {@link Node#events} keeps the
 * last ones.
 *
 * @param number counts the node's events, from 1
 * @param time of this process's clock
 * @param kind what has happened
 * @param group in which group; empty if it is about the node
 * @param node whom it is about, by name; empty if nobody else
 * @param text what has happened, in words
 * @param cause why, in words; empty if that is not known or lies in the text
 * @param details by name: numbers, truth values, texts and lists of texts
 */
public record Event(
        long number, Instant time, Kind kind, String group, String node, String text, String cause, Map<String, ?> details) {

    /** What has happened. */
    public enum Kind {
        /** The node runs. */
        STARTED,
        /** A session with another node has begun. */
        LINK_OPENED,
        /** A session is over. */
        LINK_CLOSED,
        /** A session goes on over a new connection. */
        LINK_RESUMED,
        /** A connection was refused, here or there. */
        REFUSED,
        /** An address can't be reached, and somebody should look. */
        UNREACHABLE,
        /** A node is not heard, as enough watchers agree. */
        SUSPICION,
        /** This node's own loop was late. */
        LATE,
        /** Another node has a group of the same name that is set up differently. */
        STACK_MISMATCH,
        /** A view was installed. */
        VIEW,
        /** The view that was installed has brought parts together that were apart. */
        MERGE,
        /** A member of the view before is not in the one that was installed. */
        DEPARTURE,
        /** The group is joined: everybody was asked. */
        JOINED,
        /** The group is left. */
        LEFT,
        /** The state of a group begins to come, goes on from another member, is there, or can't be had. */
        STATE,
        /** A callback of the application has thrown. */
        CALLBACK_FAILED,
        /** A packet of another member can't be decoded. */
        UNREADABLE,
        /** The node has stopped, because of an internal error. */
        FAILED,
        /** A listener has taken long for a packet of messages. */
        SLOW_LISTENER,
        /** A send has waited long. */
        SEND_WAITED,
        /** Something is wrong and lasts; see {@link Problem}. */
        PROBLEM,
        /** A problem that was told of is over. */
        PROBLEM_OVER;

        /** As in documents: {@code link-opened}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public Event {
        // Others may have made them.
        group = Printable.escape(group);
        text = Printable.escape(text);
        cause = Printable.escape(cause);
        details = Map.copyOf(details);
    }

    /** As nested maps, for JSON. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("number", number);
        document.put("time", time.toString());
        document.put("epochMillis", time.toEpochMilli());
        document.put("kind", kind.text());
        document.put("group", group);
        document.put("node", node);
        document.put("text", text);
        document.put("cause", cause);
        document.put("details", new TreeMap<String, Object>(details));
        return document;
    }

    @Override
    public String toString() {
        return (group.isEmpty() ? "" : "group " + group + ": ") + text + (cause.isEmpty() ? "" : ", because " + cause);
    }
}
