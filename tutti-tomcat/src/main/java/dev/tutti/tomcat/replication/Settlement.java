package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.util.HashSet;
import java.util.Set;

/**
 * Decides which changes made here are made again, so that they win over changes of others that did not know of them.
 *
 * <p>An overruling change stands if its member has acknowledged the one made here by now. A member that is gone without
 * having acknowledged it cannot have confirmed its own change to a client before the one made here arrived, while that
 * one is confirmed because the member is gone. It is made again in the view without that member, so that it wins over
 * whatever the member may come back with.
 *
 * <p>A member that was away itself makes nothing again here: the others have gone on, and the requests that made the
 * changes check that for themselves ({@link Replicator#confirm}).
 */
final class Settlement {

    /** Makes changes again. */
    @FunctionalInterface
    interface Again {
        /** Makes changes again as {@link SessionRecord#reassert}; returns the last message's number, 0 if none. */
        long make(SessionRecord record, Set<Long> overrulers, boolean isOwnToo);
    }

    private final Contact contact;
    private final Acknowledgements acknowledgements;
    private final Again again;
    private volatile long sentBeforeContact;

    Settlement(Contact contact, Acknowledgements acknowledgements, Again again) {
        this.contact = contact;
        this.acknowledgements = acknowledgements;
        this.again = again;
    }

    /**
     * Notes that contact with the others was missing until now.
     *
     * @param sent number of the last message sent, read before the doubt was looked at: requests that go on after it
     *     send more
     */
    void onContactMissing(long sent) {
        sentBeforeContact = sent;
    }

    /**
     * Decides about a session's changes; called when a view begins, after changes were sent, and regularly.
     *
     * @param before peers to which the known acknowledgements belong
     */
    void settle(SessionRecord record, Peers before, Peers present) {
        Set<Long> gone = new HashSet<>();
        for (long overruler : record.overrulers()) {
            Member member = before.origins().get(overruler);
            boolean isGone = !present.origins().containsKey(overruler);
            record.accept(
                    overruler,
                    number -> member != null && isKnownTo(member, number, isGone) || isGone && wasAwaySince(number));
            if (isGone) {
                gone.add(overruler);
            }
        }
        boolean isOwnToo = !wasAwaySince(record.published()) && isMissed(record.published(), before, present);
        if (!gone.isEmpty() || isOwnToo) {
            again.make(record, gone, isOwnToo);
        }
    }

    private boolean isKnownTo(Member member, long number, boolean isGone) {
        return isGone ? acknowledgements.hadHandled(member, number) : acknowledgements.hasHandled(member, number);
    }

    private boolean wasAwaySince(long number) {
        return contact.isInDoubt() || number <= sentBeforeContact;
    }

    /** Returns whether a member that is gone may lack the message {@code number}. */
    private boolean isMissed(long number, Peers before, Peers present) {
        for (Member member : before.missingIn(present)) {
            if (!acknowledgements.hasHandled(member, number)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes changes again that a change of {@code sender} has overruled without knowing of them, because it was
     * stalled, if a client may have been told of them, because a request went on without {@code sender}.
     */
    void standByConfirmed(Member sender, SessionRecord record) {
        long overruler = SessionVersion.originOf(sender);
        if (record.isOverruled()
                && record.overrulers().contains(overruler)
                && !wasAwaySince(record.published())
                && acknowledgements.wasGivenUp(sender, record.published())) {
            again.make(record, Set.of(overruler), false);
        }
    }
}
