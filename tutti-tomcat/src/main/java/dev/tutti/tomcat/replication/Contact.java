package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.replication.ReplicationCounters.Counter.ABSENCES;
import static dev.tutti.tomcat.replication.ReplicationCounters.Counter.CONTACT_WAITS;

import dev.tutti.core.Member;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Decides whether what this member knows is what the others have confirmed up to now.
 *
 * <p>A process that stands still for a while does not know it when it goes on: requests continue in the middle, with values
 * that others have replaced meanwhile. So a timer {@linkplain #beat beats}, and where more than {@link
 * ReplicationOptions#late} is between a beat and now, the member has been <em>away</em>: {@link #absences} grows, and the member is <em>in doubt</em> until each
 * other member of its view has answered a probe that was sent since, and the sessions of those it met in the view are here.
 * Answers are multicast, so that they come after all that their sender has written before. If nobody is met within
 * {@link ReplicationOptions.Absence#timeout}, the member goes on by itself, and whatever began before its absence fails.
 *
 * <p>The clock only makes a member suspect itself. Between a look at it and a write the process may stand still again: a
 * write therefore carries the number of the view that its writer stood in when it looked, and loses to writes of later
 * views (see {@link Version}).
 *
 * <p>Who comes back to a view from which it was missing makes {@link #absences} grow, too, at both sides.
 */
public final class Contact {

    private static final int DEPARTED_MAX = 1_000;

    private final ReplicationOptions.Absence absence;
    private final long lateNanos;
    private final ReplicationCounters counters;
    private final LongSupplier nanoClock;
    private final Waiting waiting;
    private final LongConsumer prober;
    private final LinkedHashSet<Member> departed = new LinkedHashSet<>();
    private final Set<Member> silent = new HashSet<>();
    private Set<Member> others = Set.of();
    private long doubtNanos;
    private long probe;
    private boolean isFirstBeat = true;
    private volatile long viewNumber;
    private volatile long beatNanos;
    private volatile long absences;
    private volatile long unproven;
    private volatile boolean isInDoubt;
    private volatile CompletableFuture<Void> restored = CompletableFuture.completedFuture(null);

    /**
     * @param prober sends a probe with a number to all, without waiting
     */
    Contact(
            ReplicationOptions options,
            ReplicationCounters counters,
            LongSupplier nanoClock,
            Waiting waiting,
            LongConsumer prober) {
        this.absence = options.absence();
        this.lateNanos = options.late().toNanos();
        this.counters = counters;
        this.nanoClock = nanoClock;
        this.waiting = waiting;
        this.prober = prober;
    }

    /**
     * Where a writer stands that is about to decide whether it may write.
     *
     * @param view number of the view to write in. A process that stands still after this was asked writes what loses to
     *     everything that the others write without it
     * @param absences number of times that this member was away
     */
    public record Standing(long view, long absences) {}

    public Standing standing() {
        long view = viewNumber;
        return new Standing(view, absences());
    }

    /** The state of knowledge of a request that is about to read the session: that before an absence, while in doubt. */
    public Mark mark(SessionRecord record) {
        boolean isUnknown = isInDoubt();
        long present = absences;
        return new Mark(isUnknown ? present - 1 : present, record.revision());
    }

    /** Whether this member was away since {@code mark}. */
    public boolean wasAwaySince(Mark mark) {
        return mark.absences() != absences();
    }

    /**
     * Whether a request may not go on: this member was away since {@code mark}, and the session has been written to since, or
     * it could not be established that it has not. False while that is not known yet.
     */
    public boolean isOutdated(SessionRecord record, Mark mark) {
        long present = absences();
        return !isInDoubt
                && mark.absences() != present
                && (mark.absences() < unproven || mark.revision() != record.revision());
    }

    /** Whether this member was away and does not know yet what the others have written meanwhile. */
    public boolean isInDoubt() {
        look(false);
        return isInDoubt;
    }

    /** Number of times that this member was away. */
    long absences() {
        look(false);
        return absences;
    }

    /**
     * Number of the view that this member is in, or that of a later one from which it has values: views are counted anew
     * when all members were restarted, and have kept their sessions in files.
     */
    long viewNumber() {
        return viewNumber;
    }

    /** A value from view {@code number} has come in. */
    void onSeen(long number) {
        if (number > viewNumber) {
            synchronized (this) {
                viewNumber = Math.max(viewNumber, number);
            }
        }
    }

    /** The timer gives a sign. */
    void beat() {
        look(true);
    }

    private void look(boolean isBeat) {
        long nowNanos = nanoClock.getAsLong();
        if (!isBeat && nowNanos - beatNanos <= lateNanos) {
            return;
        }
        long sending;
        synchronized (this) {
            boolean isLate = !isFirstBeat && nowNanos - beatNanos > lateNanos;
            if (isLate) {
                doubt(nowNanos);
            }
            if (isBeat || isLate) {
                isFirstBeat = false;
                beatNanos = nowNanos;
            }
            sending = isLate && isInDoubt ? probe : 0;
        }
        if (sending > 0) {
            prober.accept(sending);
        }
    }

    private void doubt(long nowNanos) {
        absences++;
        counters.increment(ABSENCES);
        if (others.isEmpty()) {
            return;
        }
        if (!isInDoubt) {
            restored = new CompletableFuture<>();
            isInDoubt = true;
        }
        doubtNanos = nowNanos;
        beginProbe();
    }

    private void beginProbe() {
        probe++;
        silent.clear();
        silent.addAll(others);
    }

    /** Another view. */
    void onView(long number, Set<Member> present) {
        look(false);
        synchronized (this) {
            boolean isSmaller = false;
            for (Member member : others) {
                if (!present.contains(member)) {
                    departed.add(member);
                    isSmaller = true;
                }
            }
            // What those that are gone write by themselves must not have the number of this view.
            viewNumber = Math.max(number, isSmaller ? viewNumber + 1 : viewNumber);
            while (departed.size() > DEPARTED_MAX) {
                departed.removeFirst();
            }
            if (departed.removeAll(List.copyOf(present))) {
                absences++;
                counters.increment(ABSENCES);
            }
            others = Set.copyOf(present);
            if (isInDoubt) {
                beginProbe();
            }
        }
    }

    /** Asks those of the present view, if there is a doubt. */
    void probeAgain() {
        long sending;
        synchronized (this) {
            sending = isInDoubt && !others.isEmpty() ? probe : 0;
        }
        if (sending > 0) {
            prober.accept(sending);
        }
    }

    synchronized void onAnswer(Member member, long answered) {
        if (answered == probe) {
            silent.remove(member);
        }
    }

    /** Ends the doubt if there is no more reason for it, or after the time that a member without others waits for some. */
    synchronized void settle(boolean isStateComplete) {
        if (!isInDoubt) {
            return;
        }
        boolean isMet = !others.isEmpty() && silent.isEmpty() && isStateComplete;
        if (!isMet && leftNanos() > 0) {
            return;
        }
        if (!isMet) {
            unproven = absences;
        }
        isInDoubt = false;
        restored.complete(null);
    }

    /** As {@link #isInDoubt}, without a look at the clock. */
    boolean isInDoubtStill() {
        return isInDoubt;
    }

    /** Waits for the end of a doubt, or fails at once if the options say so; returns whether it is over. */
    boolean await() {
        counters.increment(CONTACT_WAITS);
        if (absence.isWaitedFor()) {
            waiting.await(restored, leftNanos());
        }
        return !isInDoubt;
    }

    private synchronized long leftNanos() {
        return Math.max(0, doubtNanos + absence.timeout().toNanos() - nanoClock.getAsLong());
    }
}
