package dev.tutti.grid.member;

import dev.tutti.core.Member;
import dev.tutti.grid.Entry;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the registry, with the member that it is at.
 *
 * @param leaseNanos time for which the entry stays without its client; 0 for an entry that goes with its member
 * @param endNanos time at which the lease ends; null while the client is connected, and for an entry without a lease
 */
record Holding(Holder holder, Entry entry, long leaseNanos, @Nullable Long endNanos) {

    /** Member that an entry is at. */
    sealed interface Holder {

        /** The entry is at this member. */
        Self SELF = new Self();

        /** No member. */
        Nobody NOBODY = new Nobody();

        /** This member. */
        record Self() implements Holder {}

        /** Another member. */
        record Other(Member member) implements Holder {}

        /** No member any more: the client's mediator has gone, and the client has not come back yet. */
        record Nobody() implements Holder {}
    }

    /** Returns whether this one counts, although another one with the same identity is there. */
    boolean mayReplace(Holding before) {
        boolean isClient = leaseNanos > 0;
        boolean wasClient = before.leaseNanos > 0;
        if (holder.equals(before.holder)) {
            // A client can't take the identity of its member's own producers and consumers.
            return isClient == wasClient;
        }
        if (!isClient || !wasClient) {
            // Identities of entries without a lease are never used again: one of the two took the other's identity.
            return false;
        }
        long last = before.entry.registration();
        // The mediator that has gone may come back with its client, after a partition.
        return before.holder instanceof Holder.Nobody ? entry.registration() >= last : entry.registration() > last;
    }

    /** Returns this one without a member: its lease ends when it would have ended anyway, or begins now. */
    Holding orphaned(long nowNanos) {
        return new Holding(Holder.NOBODY, entry, leaseNanos, nowNanos + leftNanos(nowNanos));
    }

    /** Returns the time until the lease ends; all of it while the client is connected. */
    long leftNanos(long nowNanos) {
        return endNanos == null ? leaseNanos : endNanos - nowNanos;
    }
}
