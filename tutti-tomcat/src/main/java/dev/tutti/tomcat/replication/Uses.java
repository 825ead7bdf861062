package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.ACCESSES_SENT;

import dev.tutti.tomcat.replication.holders.Holders;
import dev.tutti.tomcat.replication.session.SessionMessage.Access;
import dev.tutti.tomcat.replication.session.SessionRecord;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Announces to the other members that this one uses a session. A use is announced at the next beat, unless a change of
 * the session, which implies a use, is sent before. It is announced at once if others may be about to expire the
 * session. Thread-safe.
 */
final class Uses {

    /** Sessions whose last use here the others do not know, with its time; at most all sessions of this member. */
    private final Map<SessionRecord, Long> untold = new ConcurrentHashMap<>();

    private final Outbox outbox;
    private final Holders holders;
    private final LongSupplier nanoClock;

    Uses(Outbox outbox, Holders holders, LongSupplier nanoClock) {
        this.outbox = outbox;
        this.holders = holders;
        this.nanoClock = nanoClock;
    }

    /**
     * @param origin origin of this member
     * @param isUrgent whether the others are to know at once
     */
    void onUse(SessionRecord record, long origin, boolean isUrgent) {
        long nowNanos = nanoClock.getAsLong();
        boolean isRecentlyUsed = record.idleNanos(nowNanos) < Expiry.graceNanos(record);
        if (isTold(record, origin, nowNanos)) {
            record.use(nowNanos);
        } else if ((isRecentlyUsed && !isUrgent) || !outbox.hasRoom()) {
            record.use(nowNanos);
            untold.put(record, nowNanos);
        } else {
            tell(record, origin, nowNanos);
        }
    }

    void onBeat(long origin) {
        long nowNanos = nanoClock.getAsLong();
        for (Iterator<Map.Entry<SessionRecord, Long>> iterator = untold.entrySet().iterator(); iterator.hasNext() && outbox.hasRoom(); ) {
            Map.Entry<SessionRecord, Long> entry = iterator.next();
            SessionRecord record = entry.getKey();
            iterator.remove();
            // A use that another member has told of since is the later one, and its member the primary.
            boolean isOverdue = record.sinceToldNanos(entry.getValue()) >= 0;
            if (isOverdue && !isTold(record, origin, nowNanos)) {
                tell(record, origin, nowNanos);
            }
        }
    }

    /** Returns whether no announcement is needed: the others know a recent use here, or do not know the session. */
    private static boolean isTold(SessionRecord record, long origin, long nowNanos) {
        boolean isPrimary = record.touched().origin() == origin;
        return isPrimary && record.sinceToldNanos(nowNanos) < Expiry.graceNanos(record)
                || record.state() != SessionRecord.State.COMPLETE;
    }

    private void tell(SessionRecord record, long origin, long nowNanos) {
        holders.tell(record, new Access(record.uid(), record.claim(origin, nowNanos)), ACCESSES_SENT, false);
    }

    /** Returns whether this member has used a session without having told the others so far. */
    boolean isUntold(SessionRecord record) {
        return untold.containsKey(record);
    }

    void clear() {
        untold.clear();
    }
}
