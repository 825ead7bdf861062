package dev.tutti.sites.internal.lease;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.internal.lease.LeaseFrame.Request;
import java.util.LinkedHashMap;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The lease of the active site, at one member of any site. The member's own part in it ends a lease after the sending of its
 * last ping before the request, less the drift of clocks: the voters have got the request after that ping was delivered, and keep
 * their promises for a whole lease from then on. Not thread-safe.
 *
 * <p>After Gray and Cheriton, Leases, 1989.
 */
public final class Holder {

    private static final int REQUESTS_MAX = 32;

    /** Part of a lease that a holder gives up, as clocks may run at different rates. */
    private static final int DRIFT_PART = 10;

    private final String site;
    private final int majority;
    private final long leaseNanos;

    private record Asked(Set<String> votes, @Nullable Long fromNanos) {}

    /** Last requests of all sites. */
    private final LinkedHashMap<Request, Asked> asked = new LinkedHashMap<>();

    private @Nullable Long pingedNanos;
    private long untilNanos = Long.MIN_VALUE;
    private long term;
    private long lastTerm;

    /** Terms up to this one are over for this site. */
    private long yieldedTerm;

    private String active = "";
    private long activeUntilNanos;

    /**
     * @param site of this member
     * @param sites number of sites that vote
     */
    public Holder(String site, int sites, long leaseNanos) {
        this.site = site;
        this.majority = sites / 2 + 1;
        this.leaseNanos = leaseNanos;
    }

    /** Takes a ping of this member, which it has sent at this time. */
    public void onPing(long sentNanos) {
        pingedNanos = sentNanos;
    }

    /** Takes a request of any site. */
    public void onRequest(Request request) {
        boolean isOwn = request.site().equals(site);
        lastTerm = isOwn ? Math.max(lastTerm, request.term()) : lastTerm;
        asked.putIfAbsent(request, new Asked(new TreeSet<>(), isOwn ? pingedNanos : null));
        if (asked.size() > REQUESTS_MAX) {
            asked.pollFirstEntry();
        }
    }

    /** Takes a vote of a site. */
    public void onVote(String voter, Request request, long nowNanos) {
        Asked of = asked.get(request);
        if (of == null || !of.votes.add(voter) || of.votes.size() != majority) {
            return;
        }
        active = request.site();
        activeUntilNanos = nowNanos + leaseNanos;
        Long from = of.fromNanos;
        if (from != null && request.term() > yieldedTerm) {
            untilNanos = Math.max(untilNanos, from + leaseNanos - leaseNanos / DRIFT_PART);
            term = Math.max(term, request.term());
        }
    }

    /** Ends the lease at this member at once. Returns the term up to which it is over. */
    public long yield() {
        yieldedTerm = Math.max(yieldedTerm, lastTerm);
        untilNanos = Long.MIN_VALUE;
        return yieldedTerm;
    }

    public boolean isActive(long nowNanos) {
        return nowNanos < untilNanos;
    }

    /** Returns whether this site may ask for more time in a term. */
    public boolean isOver(long askedTerm) {
        return askedTerm <= yieldedTerm;
    }

    public long term() {
        return term;
    }

    /** Returns the last term that this site has asked for. */
    public long lastTerm() {
        return lastTerm;
    }

    /** Returns the site that has had a majority of the votes within the last lease; empty if there is none. */
    public String activeSite(long nowNanos) {
        return nowNanos < activeUntilNanos ? active : "";
    }

    public void put(ByteOutput out) {
        out.putLong(lastTerm).putLong(yieldedTerm);
    }

    /** Takes the state of another member. */
    public void take(ByteInput in) {
        lastTerm = Math.max(lastTerm, in.takeLong());
        yieldedTerm = Math.max(yieldedTerm, in.takeLong());
    }
}
