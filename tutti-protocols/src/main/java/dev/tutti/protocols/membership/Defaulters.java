package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Members that have kept the others waiting, and the time until which each is left out. A member's first
 * {@code forgiven} defaults have no consequence. Each further one leaves it out for twice as long, up to
 * {@value #PAUSE_MAX_TIMEOUTS} times the ballot-timeout. A member without a default for that time is forgotten.
 *
 * <p>Members are identified by address, so that a restart does not clear the record. At most {@value #KNOWN_MAX} are
 * remembered, those with the latest defaults.
 */
final class Defaulters {

    static final int KNOWN_MAX = 1_024;

    /** First pause in ballot-timeouts. It is short, so that a slow network does not exclude a member for minutes. */
    private static final int PAUSE_MIN_TIMEOUTS = 2;

    private static final int PAUSE_MAX_TIMEOUTS = 24;

    private static final class Record {
        int defaults;
        long lastNanos;
        long untilNanos;
    }

    /** Records by address, the one with the latest default last. */
    private final LinkedHashMap<String, Record> records = new LinkedHashMap<>();

    private final int forgiven;
    private final long pauseMinNanos;
    private final long pauseMaxNanos;
    private long total;

    /** @param forgiven defaults of a member that have no consequence */
    Defaulters(int forgiven, long ballotTimeoutNanos) {
        this.forgiven = forgiven;
        this.pauseMinNanos = PAUSE_MIN_TIMEOUTS * ballotTimeoutNanos;
        this.pauseMaxNanos = PAUSE_MAX_TIMEOUTS * ballotTimeoutNanos;
    }

    /** Notes a default of a member. Returns the nanoseconds for which it is left out; 0 if it is not. */
    long add(Member member, long nowNanos) {
        String address = member.node().address();
        Record record = records.remove(address);
        if (record == null || nowNanos - Math.max(record.lastNanos, record.untilNanos) >= pauseMaxNanos) {
            record = new Record();
        }
        records.putLast(address, record);
        if (records.size() > KNOWN_MAX) {
            records.pollFirstEntry();
        }
        record.defaults++;
        record.lastNanos = nowNanos;
        if (record.defaults <= forgiven) {
            record.untilNanos = nowNanos;
            return 0;
        }
        total++;
        long pauseNanos = Math.min(pauseMinNanos << Math.min(record.defaults - forgiven - 1, 10), pauseMaxNanos);
        record.untilNanos = nowNanos + pauseNanos;
        return pauseNanos;
    }

    /**
     * Takes back all others after a member is gone, which may have been the cause of all waiting. The defaults remain
     * on record, so that pauses continue to grow, and so do those of the member that is gone.
     */
    void forgiveOthers(Member gone, long nowNanos) {
        records.forEach((address, record) -> {
            if (!address.equals(gone.node().address())) {
                record.untilNanos = Math.min(record.untilNanos, nowNanos);
            }
        });
    }

    /** Returns the addresses of the members that are left out now. */
    TreeSet<String> leftOut(long nowNanos) {
        TreeSet<String> leftOut = new TreeSet<>();
        records.forEach((address, record) -> {
            if (record.untilNanos > nowNanos) {
                leftOut.add(address);
            }
        });
        return leftOut;
    }

    /** Returns the time at which the next member is taken back; {@link Long#MAX_VALUE} if none is left out. */
    long nextReturnNanos(long nowNanos) {
        long next = Long.MAX_VALUE;
        for (Map.Entry<String, Record> each : records.entrySet()) {
            long untilNanos = each.getValue().untilNanos;
            next = untilNanos > nowNanos ? Math.min(next, untilNanos) : next;
        }
        return next;
    }

    /** Returns how many times members were left out. */
    long total() {
        return total;
    }
}
