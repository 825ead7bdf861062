package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import java.util.HashSet;
import java.util.Set;

/**
 * Decides which changes made here are made again, so that they stand against changes of others that did not know of them.
 *
 * <p>Whoever has acknowledged a change by now stands by its own. Whoever is gone without that cannot have confirmed its own to a
 * client before this one was there, while this one is confirmed because it is gone: it is made again, in the view without that
 * member, so that it stands against what that member may come back with.
 *
 * <p>A member that was away itself is in no position to do so: the others have gone on, and the requests that made the
 * changes ask for themselves ({@link Replicator#confirm}).
 */
final class Settlement {

    /** Makes changes again. */
    @FunctionalInterface
    interface Again {
        /** As {@link SessionRecord#reassert}; returns the message's number, 0 if there was nothing to send. */
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
     * Contact with the others was missing until now.
     *
     * @param sent number of the last message sent, read before the doubt was looked at: requests that go on after it send more
     */
    void onContactMissing(long sent) {
        sentBeforeContact = sent;
    }

    /**
     * Decides for a session when a view begins, and from time to time.
     *
     * @param before the peers when it was known who has acknowledged what
     */
    void settle(SessionRecord record, Peers before, Peers present) {
        Set<Long> gone = new HashSet<>();
        for (long overruler : record.overrulers()) {
            Member member = before.origins().get(overruler);
            boolean isGone = !present.origins().containsKey(overruler);
            record.accept(
                    overruler,
                    number -> member != null && acknowledgements.hasHandled(member, number) || isGone && wasAwaySince(number));
            if (isGone) {
                gone.add(overruler);
            }
        }
        boolean isOwnToo = !wasAwaySince(record.published()) && isMissed(record.published(), before, present);
        if (!gone.isEmpty() || isOwnToo) {
            again.make(record, gone, isOwnToo);
        }
    }

    private boolean wasAwaySince(long number) {
        return contact.isInDoubt() || number <= sentBeforeContact;
    }

    /** Whether somebody who is gone may not have what was sent under {@code number}. */
    private boolean isMissed(long number, Peers before, Peers present) {
        for (Member member : before.missingIn(present)) {
            if (!acknowledgements.hasHandled(member, number)) {
                return true;
            }
        }
        return false;
    }

    /**
     * A change of {@code sender} has come in. One made here that a client may have been told of, because a request went on
     * without {@code sender}, is not overruled by one that {@code sender} made without knowing of it: it was stalled meanwhile.
     */
    void standByConfirmed(Member sender, SessionRecord record) {
        long overruler = Version.originOf(sender);
        if (record.isOverruled()
                && record.overrulers().contains(overruler)
                && !wasAwaySince(record.published())
                && acknowledgements.wasGivenUp(sender, record.published())) {
            again.make(record, Set.of(overruler), false);
        }
    }
}
