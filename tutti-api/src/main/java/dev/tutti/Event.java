package dev.tutti;

import dev.tutti.core.Printable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Something that happened to a node, as the node saw it. Events are rare; there is never one for a message. {@link
 * Node#events} keeps the last ones.
 *
 * @param number number of the event, counted from 1 for each node
 * @param time time by this process's clock
 * @param kind kind of event
 * @param group group that it concerns; empty if it concerns the node
 * @param node name of the other node that it concerns; empty if there is none
 * @param text description in words
 * @param cause cause in words; empty if it is not known or is in the text
 * @param details numbers, truth values, texts and lists of texts, by name
 */
public record Event(
        long number, Instant time, Kind kind, String group, String node, String text, String cause, Map<String, ?> details) {

    /** The kinds of event. */
    public enum Kind {
        /** The node has started. */
        STARTED,
        /** A session with another node has begun. */
        LINK_OPENED,
        /** A session is over. */
        LINK_CLOSED,
        /** A session continues over a new connection. */
        LINK_RESUMED,
        /** A connection was refused, by this node or by the other. */
        REFUSED,
        /** An address can't be reached, and an operator should look into it. */
        UNREACHABLE,
        /** A source of addresses can't be used, or works again. */
        DISCOVERY,
        /** Enough watchers agree that a node is silent. */
        SUSPICION,
        /** This node's own loop was late. */
        LATE,
        /** Another node has a group of the same name that is set up differently. */
        STACK_MISMATCH,
        /** A view was installed. */
        VIEW,
        /** The installed view merges parts of the group that were apart. */
        MERGE,
        /** A member of the previous view is not in the installed one. */
        DEPARTURE,
        /** The group is joined: all nodes that were found were asked. */
        JOINED,
        /** The group is left. */
        LEFT,
        /** The transfer of a group's state has begun, continues from another member, is complete, or has failed. */
        STATE,
        /** A callback of the application has thrown. */
        CALLBACK_FAILED,
        /** A packet of another member can't be decoded. */
        UNREADABLE,
        /** The node has stopped, because of an internal error. */
        FAILED,
        /** A listener took long for a packet of messages. */
        SLOW_LISTENER,
        /** A send has waited long. */
        SEND_WAITED,
        /**
         * Something happened to a component on top of the node; the details say which {@code component}, and perhaps {@code about}
         * which of its things and {@code what} happened.
         */
        COMPONENT,
        /** An operator has changed this node, or was refused to; the details say {@code user}, {@code operation} and {@code outcome}. */
        OPERATION,
        /** Something is wrong and lasts; see {@link Problem}. */
        PROBLEM,
        /** A reported problem is over. */
        PROBLEM_OVER;

        /** Returns the kind as it appears in documents: {@code link-opened}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public Event {
        // Other members may have written these texts.
        group = Printable.escape(group);
        text = Printable.escape(text);
        cause = Printable.escape(cause);
        details = Map.copyOf(details);
    }

    /** Returns the event as nested maps, for JSON. */
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
