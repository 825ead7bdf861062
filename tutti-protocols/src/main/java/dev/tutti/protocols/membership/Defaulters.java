package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Members that have kept the others waiting, and until when nobody waits for each. The first default of a member costs it
 * nothing. From the second on it is left out for a while that doubles each time, up to {@value #PAUSE_MAX_TIMEOUTS} times the ballot-timeout. Who has
 * kept nobody waiting for as long as that is forgotten.
 *
 * <p>A member is known by its address: a process that is started again is not another one. At most {@value #KNOWN_MAX} are
 * remembered, those with the latest defaults.
 */
final class Defaulters {

    static final int KNOWN_MAX = 1_024;

    /** The first pause, and the longest one, in ballot-timeouts: a slow network, for which that is short, costs nobody minutes. */
    private static final int PAUSE_MIN_TIMEOUTS = 2;

    private static final int PAUSE_MAX_TIMEOUTS = 24;

    private static final class Record {
        int defaults;
        long lastNanos;
        long untilNanos;
    }

    /** The latest default last. */
    private final LinkedHashMap<String, Record> records = new LinkedHashMap<>();

    private final int forgiven;
    private final long pauseMinNanos;
    private final long pauseMaxNanos;
    private long total;

    /** @param forgiven defaults of a member that cost it nothing */
    Defaulters(int forgiven, long ballotTimeoutNanos) {
        this.forgiven = forgiven;
        this.pauseMinNanos = PAUSE_MIN_TIMEOUTS * ballotTimeoutNanos;
        this.pauseMaxNanos = PAUSE_MAX_TIMEOUTS * ballotTimeoutNanos;
    }

    /** A member has kept the others waiting. Returns for how long it is left out, in nanoseconds; 0 if it is not. */
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
     * A member is gone, and may have been the cause of all waiting: the others are taken back now. What they are said to have
     * done is remembered, so that pauses go on to grow, and so is what the one that is gone has done.
     */
    void forgiveOthers(Member gone, long nowNanos) {
        records.forEach((address, record) -> {
            if (!address.equals(gone.node().address())) {
                record.untilNanos = Math.min(record.untilNanos, nowNanos);
            }
        });
    }

    /** The addresses of those that are left out now. */
    TreeSet<String> leftOut(long nowNanos) {
        TreeSet<String> leftOut = new TreeSet<>();
        records.forEach((address, record) -> {
            if (record.untilNanos > nowNanos) {
                leftOut.add(address);
            }
        });
        return leftOut;
    }

    /** When the next of them is taken back; {@link Long#MAX_VALUE} if nobody is left out. */
    long nextReturnNanos(long nowNanos) {
        long next = Long.MAX_VALUE;
        for (Map.Entry<String, Record> each : records.entrySet()) {
            long untilNanos = each.getValue().untilNanos;
            next = untilNanos > nowNanos ? Math.min(next, untilNanos) : next;
        }
        return next;
    }

    /** How often a member was left out. */
    long total() {
        return total;
    }
}
