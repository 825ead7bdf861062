package dev.tutti.campaign.sessions;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Numbers that one client has written to the attributes of its session, and those of them that were confirmed. Numbers
 * rise from write to write, over all attributes. Not thread-safe: a client does one thing after the other.
 */
final class Ledger {

    /** Number of attributes that a client writes to in turn. */
    static final int ATTRIBUTES = 8;

    private final long[] confirmed = new long[ATTRIBUTES];
    private final long[] tried = new long[ATTRIBUTES];
    private final Set<Long> givenUp = new HashSet<>();
    private long last;

    /** A write that is about to be sent. */
    record Write(int attribute, long number) {

        String name() {
            return "a" + attribute;
        }
    }

    Write next() {
        return next((int) (last + 1) % ATTRIBUTES);
    }

    Write next(int attribute) {
        last++;
        tried[attribute] = last;
        return new Write(attribute, last);
    }

    /** Records that the client has the complete answer to the write. */
    void onConfirmed(Write write) {
        confirmed[write.attribute] = Math.max(confirmed[write.attribute], write.number);
    }

    /**
     * Records that the client has not waited for the answer, and the node is alive: the write may be carried out at any
     * time from now on. Only the node's death ends a request, so the write is concurrent with all later writes of the
     * client.
     */
    void onGivenUp(Write write) {
        givenUp.add(write.number);
    }

    /**
     * Takes note of writes in an answer that the client had given up; each may be carried out once.
     *
     * @return the number of them that replaced a value confirmed after the client had given them up
     */
    int takeLate(Answer answer) {
        int late = 0;
        for (int attribute = 0; attribute < ATTRIBUTES; attribute++) {
            long number = answer.number(attribute);
            if (givenUp.remove(number) && number < confirmed[attribute]) {
                confirmed[attribute] = number;
                late++;
            }
        }
        return late;
    }

    boolean hasConfirmed() {
        return Arrays.stream(confirmed).anyMatch(number -> number > 0);
    }

    /** Returns the last confirmed number of each attribute, for a report. */
    String confirmed() {
        return Arrays.toString(confirmed);
    }

    /** Returns the number of attributes that an answer shows with a value older than a confirmed one. */
    int olderIn(Answer answer) {
        int older = 0;
        for (int attribute = 0; attribute < ATTRIBUTES; attribute++) {
            long number = answer.number(attribute);
            if (number > tried[attribute]) {
                throw new IllegalStateException(
                        "attribute a" + attribute + " is " + number + ", which nobody has written; " + tried[attribute] + " at most");
            }
            if (number < confirmed[attribute]) {
                older++;
            }
        }
        return older;
    }

    /** Takes the values in an answer as confirmed, so that a loss is counted once. */
    void accept(Answer answer) {
        for (int attribute = 0; attribute < ATTRIBUTES; attribute++) {
            confirmed[attribute] = Math.min(confirmed[attribute], answer.number(attribute));
        }
    }

    /** Forgets everything: the session is gone. */
    void forget() {
        Arrays.fill(confirmed, 0);
    }

    /** The session as an answer shows it. */
    record Answer(State state, Map<String, String> attributes) {

        enum State { NEW, OLD, NONE }

        static Answer parse(String text) {
            Map<String, String> attributes = new HashMap<>();
            State state = State.NONE;
            for (String line : text.split("\n")) {
                int separator = line.indexOf('=');
                if (separator > 0) {
                    attributes.put(line.substring(0, separator), line.substring(separator + 1));
                } else if (line.startsWith("session ")) {
                    state = State.valueOf(line.substring("session ".length()).toUpperCase(java.util.Locale.ROOT));
                }
            }
            return new Answer(state, attributes);
        }

        /** Returns the number in an attribute, without the marks of slow requests; 0 if there is none. */
        long number(int attribute) {
            String value = attributes.get("a" + attribute);
            if (value == null) {
                return 0;
            }
            int end = 0;
            while (end < value.length() && Character.isDigit(value.charAt(end))) {
                end++;
            }
            return end == 0 ? 0 : Long.parseLong(value.substring(0, end));
        }
    }
}
