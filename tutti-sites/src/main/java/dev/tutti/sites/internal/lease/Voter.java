package dev.tutti.sites.internal.lease;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.internal.lease.LeaseFrame.Accept;
import dev.tutti.sites.internal.lease.LeaseFrame.Release;
import dev.tutti.sites.internal.lease.LeaseFrame.Request;

/**
 * The vote of one site, at each of its members: promised to one site and term, for the time of a lease. All members make the same
 * changes, since they come with messages in one order; only the ends of promises are times of a member's own clock, which is
 * read when a message is delivered, and therefore after the request for it was sent. Not thread-safe.
 */
public final class Voter {

    private final long leaseNanos;

    /** Site that the vote is promised to; empty if there is none. */
    private String site = "";

    private long term;

    /** Counts promises and what has prolonged them, so that a proposal made before is void. */
    private long promise;

    private long untilNanos;

    /** Site that comes first when the vote is free; empty if there is none. */
    private String next = "";

    private long nextUntilNanos;

    /** @param nowNanos from which the vote is kept back for a lease, since an earlier run may have given it */
    public Voter(long leaseNanos, long nowNanos) {
        this.leaseNanos = leaseNanos;
        this.untilNanos = nowNanos + leaseNanos;
    }

    /** Returns the term of the last promise; 0 if there was none. */
    public long term() {
        return term;
    }

    public boolean isPromisedTo(String other) {
        return site.equals(other);
    }

    /** Returns the time for which no promise has been valid, or negative while there is one. */
    public long freeForNanos(long nowNanos) {
        return nowNanos - untilNanos;
    }

    /** Returns whether another site than this one comes first at this time. */
    public boolean isReservedForAnother(String than, long nowNanos) {
        return !next.isEmpty() && !next.equals(than) && nowNanos < nextUntilNanos;
    }

    /** Prolongs the promise if the request is of the site that has it. Returns whether it has, and the request gets a vote. */
    public boolean onRequest(Request request, long nowNanos) {
        if (!site.equals(request.site()) || request.term() < term) {
            return false;
        }
        term = request.term();
        promise++;
        untilNanos = nowNanos + leaseNanos;
        return true;
    }

    /** Returns the number of the promise that may be made now; 0 if none may be. */
    public long proposal(Request request, long nowNanos) {
        boolean isFree = nowNanos >= untilNanos && !isReservedForAnother(request.site(), nowNanos);
        return isFree && request.term() > term ? promise + 1 : 0;
    }

    /** Makes a promise, unless another one was made since it was proposed. Returns whether the request gets a vote. */
    public boolean onAccept(Accept accept, long nowNanos) {
        if (accept.promise() != promise + 1 || accept.request().term() <= term) {
            return false;
        }
        site = accept.request().site();
        term = accept.request().term();
        promise++;
        untilNanos = nowNanos + leaseNanos;
        next = "";
        return true;
    }

    /** Frees the promise of a site whose members are no longer active. */
    public void onRelease(String by, Release release, long nowNanos) {
        if (site.equals(by) && term == release.term()) {
            site = "";
            promise++;
            untilNanos = nowNanos;
            prefer(release.next(), nowNanos);
        }
    }

    /** Lets a site be first when the vote is free, for two leases. */
    public void prefer(String site, long nowNanos) {
        next = site;
        nextUntilNanos = nowNanos + 2 * leaseNanos;
    }

    public void put(ByteOutput out) {
        out.putText(site).putLong(term).putLong(promise).putText(next);
    }

    /** Replaces all by the state of another member; the promise lasts for a whole lease from now. */
    public void take(ByteInput in, long nowNanos) {
        site = in.takeText();
        term = in.takeLong();
        promise = in.takeLong();
        untilNanos = nowNanos + leaseNanos;
        prefer(in.takeText(), nowNanos);
    }
}
