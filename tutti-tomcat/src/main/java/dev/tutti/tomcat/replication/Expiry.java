package dev.tutti.tomcat.replication;

import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Decides when sessions expire, and at which member. */
final class Expiry {

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final LongSupplier nanoClock;
    private final Contact contact;
    private final LocalMember self;
    private final Predicate<SessionRecord> standsIn;

    /** @param standsIn returns whether this member decides about a session whose primary is not in the view */
    Expiry(LongSupplier nanoClock, Contact contact, LocalMember self, Predicate<SessionRecord> standsIn) {
        this.standsIn = standsIn;
        this.nanoClock = nanoClock;
        this.contact = contact;
        this.self = self;
    }

    /** Returns whether this member decides when the session expires: it used it last, or stands in for that member. */
    boolean isPrimary(SessionRecord record, Peers peers) {
        SessionVersion touched = record.touched();
        if (touched.origin() == self.origin() || peers.others().isEmpty()) {
            return true;
        }
        if (peers.origins().containsKey(touched.origin())) {
            return false;
        }
        return standsIn.test(record);
    }

    /** Returns whether this member has to expire the session now. */
    boolean isDue(SessionRecord record, Peers peers) {
        boolean isExact = record.touched().origin() == self.origin();
        return isIdleFor(record, isExact ? 0 : graceNanos(record)) && isPrimary(record, peers);
    }

    /** Returns whether the session has been idle for so long that its primary must be about to expire it. */
    boolean isOverdue(SessionRecord record) {
        return isIdleFor(record, graceNanos(record));
    }

    /** Returns whether the session is idle for too long; false in doubt, as others may have used it meanwhile. */
    private boolean isIdleFor(SessionRecord record, long graceNanos) {
        int seconds = record.maxInactiveSeconds();
        return seconds > 0
                && !contact.isInDoubt()
                && record.idleNanos(nanoClock.getAsLong()) >= seconds * SECOND_NANOS + graceNanos;
    }

    /** Returns the maximum lag of the last use that others know: uses closer together are not announced. */
    static long graceNanos(SessionRecord record) {
        int seconds = record.maxInactiveSeconds();
        return seconds <= 0 ? 60 * SECOND_NANOS : Math.max(seconds * SECOND_NANOS / 10, SECOND_NANOS);
    }
}
