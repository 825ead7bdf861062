package dev.tutti.sites.internal.lease;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.internal.lease.LeaseFrame.Request;
import java.util.List;

/**
 * Decides, at one member of a site, whether it is the site's turn to ask for votes. It affects who becomes active and when, never
 * whether two sites can be. Not thread-safe.
 */
public final class Candidacy {

    /** Part of a lease by which a site waits longer than the one before it. */
    private static final int TURN_PART = 8;

    private final String site;
    private final List<String> sites;
    private final boolean isByHand;
    private final long leaseNanos;

    /** Site that somebody has named last; the first one before that. */
    private String wanted;

    private long wantedNanos;

    /** Time of the last request of another site. */
    private long heardNanos;

    /** Highest term that another site has asked for. */
    private long heardTerm;

    /** Time since which this site has asked without being active. */
    private long askedNanos;

    /** Begin of the last shift in which this site was active; 0 if it was in none. */
    private long servedMillis;

    /** Time at which this site has asked for its shift. */
    private long shiftAskedNanos;

    /** @param sites all sites that vote, in the order in which they take over */
    public Candidacy(String site, List<String> sites, boolean isByHand, long leaseNanos, long nowNanos) {
        this.site = site;
        this.sites = List.copyOf(sites);
        this.isByHand = isByHand;
        this.leaseNanos = leaseNanos;
        this.wanted = sites.getFirst();
        this.wantedNanos = nowNanos - 2 * leaseNanos;
        this.heardNanos = nowNanos;
        this.shiftAskedNanos = nowNanos - leaseNanos;
    }

    public String wanted() {
        return wanted;
    }

    /** Takes a request of another site. */
    public void onRequest(Request request, long nowNanos) {
        heardNanos = nowNanos;
        heardTerm = Math.max(heardTerm, request.term());
    }

    /** Notes that somebody wants this site to be active. */
    public void onPromote(String promoted, long nowNanos) {
        wanted = promoted;
        wantedNanos = nowNanos;
    }

    /** Notes that the active site has stopped. */
    public void onRelease(long nowNanos) {
        heardNanos = nowNanos - leaseNanos;
    }

    /** Returns whether another site was named not long ago. A request that was under way then has prolonged the lease. */
    public boolean isToHandOver(long nowNanos) {
        return !wanted.equals(site) && nowNanos - wantedNanos < 2 * leaseNanos;
    }

    /** Returns whether this site asks now, for more time or for the first. */
    public boolean isToAsk(Voter voter, Holder holder, long nowNanos) {
        return isHolding(voter, holder, nowNanos) || isTurn(voter, nowNanos);
    }

    /**
     * Returns the term to ask for. A new one is above all that are known, and not below the wall clock: if whole sites were restarted
     * and know none, terms grow all the same, as far as clocks are right.
     */
    public long nextTerm(Voter voter, Holder holder, long nowNanos, long epochMillis) {
        if (isHolding(voter, holder, nowNanos) && heardTerm <= holder.lastTerm()) {
            return holder.lastTerm();
        }
        return Math.max(epochMillis, 1 + Math.max(holder.lastTerm(), Math.max(heardTerm, voter.term())));
    }

    /**
     * Returns whether this site has to say now that it shall be active, since its shift has begun. Once it was active in the shift,
     * others may be named: the schedule waits for the next shift then.
     */
    public boolean isToServe(long shiftMillis, Holder holder, long nowNanos) {
        if (holder.isActive(nowNanos)) {
            servedMillis = Math.max(servedMillis, shiftMillis);
        }
        if (shiftMillis <= servedMillis || nowNanos - shiftAskedNanos < leaseNanos) {
            return false;
        }
        shiftAskedNanos = nowNanos;
        return true;
    }

    /** Returns whether this site has its own vote, and the others', or has asked for those for less than a lease. */
    private boolean isHolding(Voter voter, Holder holder, long nowNanos) {
        boolean isOwn = voter.isPromisedTo(site) && !holder.isOver(holder.lastTerm());
        askedNanos = isOwn && !holder.isActive(nowNanos) ? askedNanos : nowNanos;
        return isOwn && nowNanos - askedNanos < leaseNanos;
    }

    /** Returns whether nobody is active as far as is known here, and the sites before this one had their time. */
    private boolean isTurn(Voter voter, long nowNanos) {
        boolean isWanted = wanted.equals(site);
        if (isByHand && !isWanted || voter.isReservedForAnother(site, nowNanos)) {
            return false;
        }
        long turnNanos = isWanted ? 0 : (1 + sites.indexOf(site)) * (leaseNanos / TURN_PART);
        return voter.freeForNanos(nowNanos) >= turnNanos && nowNanos - heardNanos >= leaseNanos + turnNanos;
    }

    public void put(ByteOutput out) {
        out.putText(wanted).putLong(servedMillis);
    }

    /** Takes the state of another member. */
    public void take(ByteInput in) {
        wanted = in.takeText();
        servedMillis = Math.max(servedMillis, in.takeLong());
    }
}
