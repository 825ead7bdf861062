package dev.tutti.protocols.discovery;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Times of the dials of all addresses, within two limits: the number of dials at a time, and the rate of repeated dials that
 * are not answered.
 */
final class DialSchedule {

    private static final Comparator<Address> DUE =
            Comparator.<Address>comparingLong(address -> address.dial.nextNanos).thenComparingLong(address -> address.number);

    /** Time between two repeated dials in the long run: a dial costs up to half a millisecond of a core. */
    private static final long REPEAT_NANOS = 31_250_000L;

    /** Number of repeated dials in a burst. */
    private static final int REPEATS_MAX = 256;

    private final int dialsMax;
    private final SplittableRandom random;
    private final Discovery.Dialer dialer;
    private final Predicate<Address> isDropped;

    /** Addresses to be dialled for the first time, or at once. */
    private final TreeSet<Address> first = new TreeSet<>(DUE);

    /** Addresses to be dialled again. */
    private final TreeSet<Address> repeated = new TreeSet<>(DUE);

    /** Time at which all repeated dials so far would be over, at one in {@link #REPEAT_NANOS}. */
    private long repeatedNanos;

    private int dials;
    private long dialed;
    private long deadlineNanos = Discovery.NEVER;

    /** @param isDropped asked before a first dial; if it returns true, it has forgotten the address */
    DialSchedule(int dialsMax, SplittableRandom random, Discovery.Dialer dialer, Predicate<Address> isDropped) {
        this.dialsMax = dialsMax;
        this.random = random;
        this.dialer = dialer;
        this.isDropped = isDropped;
    }

    // ------------------------------------------------------------------ plans

    /** Plans the first dial of an address, or one that is as urgent. */
    void planFirst(Address address, long nextNanos) {
        plan(address, first, nextNanos);
    }

    /** Plans a repeated dial for now, instead of after its pause. */
    void planAgain(Address address, long nowNanos) {
        plan(address, repeated, nowNanos);
    }

    /** Plans a repeated dial after a pause that differs by up to a quarter. */
    void pause(Address address, long nowNanos, long pauseNanos) {
        long jitter = random.nextLong(pauseNanos / 2 + 1);
        plan(address, repeated, nowNanos + pauseNanos - pauseNanos / 4 + jitter);
    }

    private void plan(Address address, TreeSet<Address> where, long nextNanos) {
        cancel(address);
        address.dial.nextNanos = nextNanos;
        address.dial.waiting = where;
        where.add(address);
    }

    void cancel(Address address) {
        TreeSet<Address> where = address.dial.waiting;
        if (where != null) {
            where.remove(address);
            address.dial.waiting = null;
        }
    }

    /** Returns whether the next dial of an address is a repeated one. */
    boolean isPaused(Address address) {
        return address.dial.waiting == repeated;
    }

    // ------------------------------------------------------------------ dials

    /** Dials due addresses. Those over a limit wait until a dial ends, or until repeated dials are allowed again. */
    void dialDue(long nowNanos) {
        while (dials < dialsMax && !first.isEmpty() && first.first().dial.nextNanos <= nowNanos) {
            Address address = first.first();
            if (!isDropped.test(address)) {
                dial(address, nowNanos);
            }
        }
        while (dials < dialsMax
                && !repeated.isEmpty()
                && repeated.first().dial.nextNanos <= nowNanos
                && repeatsAllowedNanos() <= nowNanos) {
            Address address = repeated.first();
            address.dial.isCharged = true;
            repeatedNanos = Math.max(repeatedNanos, nowNanos) + REPEAT_NANOS;
            dial(address, nowNanos);
        }
        updateDeadline();
    }

    private void dial(Address address, long nowNanos) {
        cancel(address);
        address.dial.isUnderWay = true;
        address.dial.begunNanos = nowNanos;
        dials++;
        dialed++;
        dialer.dial(address.text, address.node);
    }

    /** Notes that the dial of an address is over, if one is under way. */
    void end(Address address) {
        if (address.dial.isUnderWay) {
            address.dial.isUnderWay = false;
            dials--;
        }
    }

    /** Takes a dial that was answered out of the rate of repeated ones. */
    void refund(Address address) {
        if (address.dial.isCharged) {
            address.dial.isCharged = false;
            repeatedNanos -= REPEAT_NANOS;
        }
    }

    /** Returns the time from which a repeated dial is allowed. */
    private long repeatsAllowedNanos() {
        return repeatedNanos - REPEATS_MAX * REPEAT_NANOS;
    }

    /** Decides again when the next dial is due, after a change of plans. */
    void updateDeadline() {
        deadlineNanos = Discovery.NEVER;
        if (dials < dialsMax) {
            if (!first.isEmpty()) {
                deadlineNanos = first.first().dial.nextNanos;
            }
            if (!repeated.isEmpty()) {
                deadlineNanos =
                        Math.min(deadlineNanos, Math.max(repeated.first().dial.nextNanos, repeatsAllowedNanos()));
            }
        }
    }

    /** Returns when the next dial is due; {@link Discovery#NEVER} if none is planned or allowed. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Returns the number of dials under way. */
    int dials() {
        return dials;
    }

    /** Returns the number of dials so far. */
    long dialed() {
        return dialed;
    }
}
