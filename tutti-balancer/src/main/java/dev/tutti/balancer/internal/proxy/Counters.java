package dev.tutti.balancer.internal.proxy;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a balancer. Thread-safe. */
public final class Counters {

    /** Names, and their meanings. */
    public enum Name {
        REQUESTS("Requests of clients."),
        STICKY("Requests that went to the node of their session."),
        FAILED_OVER("Requests whose session moved to another node."),
        RETRIED("Requests that were sent to another node after a failure."),
        SESSIONS("Sessions that nodes have begun."),
        ANSWERS_1XX("Answers with status 101: connections that were upgraded."),
        ANSWERS_2XX("Answers with status 200 to 299."),
        ANSWERS_3XX("Answers with status 300 to 399."),
        ANSWERS_4XX("Answers with status 400 to 499, those of the balancer included."),
        ANSWERS_5XX("Answers with status 500 to 599, those of the balancer included."),
        REFUSED("Requests that the balancer refused: malformed, or over a limit."),
        NO_CONTEXT("Requests for which no node has announced a context."),
        NO_NODE("Requests whose nodes were all drained, failed or full."),
        NODE_FAILURES("Requests that a node did not answer, and connections to nodes that failed."),
        QUEUE_FULL("Requests refused because too many waited for a connection to their node."),
        TIMEOUTS("Requests that ended because a node or a client took too long."),
        ABORTED("Requests whose client went before the end of the answer."),
        CONNECTIONS("Connections of clients that were accepted."),
        NODE_CONNECTIONS("Connections to nodes that were opened."),
        LOG_DROPPED("Lines of the access log that were dropped because the file did not keep up.");

        private final String meaning;

        Name(String meaning) {
            this.meaning = meaning;
        }

        /** Returns the name in small letters with hyphens. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        public String meaning() {
            return meaning;
        }
    }

    private final LongAdder[] values = new LongAdder[Name.values().length];

    public Counters() {
        for (int index = 0; index < values.length; index++) {
            values[index] = new LongAdder();
        }
    }

    public void add(Name name) {
        values[name.ordinal()].increment();
    }

    public void add(Name name, long amount) {
        values[name.ordinal()].add(amount);
    }

    public Map<Name, Long> all() {
        Map<Name, Long> all = new EnumMap<>(Name.class);
        for (Name name : Name.values()) {
            all.put(name, values[name.ordinal()].sum());
        }
        return all;
    }
}
