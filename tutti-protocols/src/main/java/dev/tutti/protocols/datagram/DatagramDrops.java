package dev.tutti.protocols.datagram;

import dev.tutti.core.stack.Report;

/** Counters of the datagrams that a node has dropped, by reason. */
final class DatagramDrops {

    /** Reason for dropping a datagram; {@link #metric} is its name in the report. */
    enum Reason {
        /** The checksum is wrong: the datagram was changed on its way, or cut short. */
        DAMAGED("damaged"),
        /** One of the two nodes uses checksums, the other does not. */
        OTHER_CHECKSUM("other-checksums"),
        /** One of the two nodes encrypts, the other does not. */
        OTHER_SECURITY("other-security"),
        /** The datagram says that it is encrypted by the other end of a connection, and is not: forged or changed. */
        FORGED("forged"),
        MALFORMED("malformed"),
        UNKNOWN_CONNECTION("unknown-connection"),
        /** The connection was opened from another endpoint. */
        WRONG_ENDPOINT("wrong-endpoint"),
        /** The cookie was not given to this endpoint, or is too old. */
        BAD_COOKIE("bad-cookies"),
        /** There are as many connections as may be. */
        OVERLOAD("overload");

        private final String metric;

        Reason(String metric) {
            this.metric = metric;
        }
    }

    private static final Reason[] REASONS = Reason.values();

    private final long[] counts = new long[REASONS.length];

    void count(Reason reason) {
        counts[reason.ordinal()]++;
    }

    void report(Report section) {
        for (Reason reason : REASONS) {
            section.put(reason.metric, counts[reason.ordinal()]);
        }
    }
}
