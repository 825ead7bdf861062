package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.ABSENCES;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.CONTACT_WAITS;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.base.Waiting;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Decides whether this member knows all that the others have confirmed up to now.
 *
 * <p>A process that stands still for a while does not notice it when it resumes: requests continue in the middle, with
 * values that others have replaced meanwhile. So a timer {@linkplain #beat beats}. When more than
 * {@link ReplicationOptions#late} lies between a beat and now, the member has been <em>away</em>: {@link #absences}
 * grows, and the member is <em>in doubt</em> until each other member of its view has answered a probe that was sent
 * since, and the sessions of the members it met in the view are here. Answers are multicast, so that they arrive after
 * all that their sender wrote before. If no member is met within {@link ReplicationOptions.Absence#timeout}, the member
 * goes on alone, and every request that began before its absence fails.
 *
 * <p>The clock only makes a member suspect itself. The process may stand still again between a look at it and a write.
 * A write therefore carries the number of the view that its writer stood in when it looked, and loses to writes of
 * later views (see {@link SessionVersion}).
 *
 * <p>When a member comes back to a view from which it was missing, {@link #absences} grows at both sides, too.
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
     * @param prober sends a probe with the given number to all, without waiting
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
     * Position of a writer that is about to decide whether it may write.
     *
     * @param view number of the view to write in. If the process stands still after taking this, its writes lose to
     *     everything that the others write without it
     * @param absences number of times that this member was away
     */
    public record Standing(long view, long absences) {}

    public Standing standing() {
        long view = viewNumber;
        return new Standing(view, absences());
    }

    /** Returns the knowledge of a request that is about to read the session; in doubt, that before the absence. */
    public Mark mark(SessionRecord record) {
        boolean isUnknown = isInDoubt();
        long present = absences;
        return new Mark(isUnknown ? present - 1 : present, record.revision());
    }

    /** Returns whether this member was away since {@code mark}. */
    public boolean wasAwaySince(Mark mark) {
        return mark.absences() != absences();
    }

    /**
     * Returns whether a request has to fail: this member was away since {@code mark}, and the session has been written
     * to since, or it could not be established that it has not. False while that is not known yet.
     */
    public boolean isOutdated(SessionRecord record, Mark mark) {
        long present = absences();
        return !isInDoubt
                && mark.absences() != present
                && (mark.absences() < unproven || mark.revision() != record.revision());
    }

    /** Returns whether this member was away and does not know yet what the others have written meanwhile. */
    public boolean isInDoubt() {
        look(false);
        return isInDoubt;
    }

    /** Returns the number of times that this member was away. */
    long absences() {
        look(false);
        return absences;
    }

    /**
     * Returns the number of this member's view, or of a later one from which it has values: view numbers start anew
     * when all members were restarted and have kept their sessions in files.
     */
    long viewNumber() {
        return viewNumber;
    }

    /** Notes that a value from view {@code number} has arrived. */
    void onSeen(long number) {
        if (number > viewNumber) {
            synchronized (this) {
                viewNumber = Math.max(viewNumber, number);
            }
        }
    }

    /** Notes a beat of the timer, and checks whether it is late. */
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

    /** Notes a new view and its members, without this one. */
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
            // The writes of departed members, on their own, must not have the number of this view.
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

    /** Sends the probe to the members of the present view, if this one is in doubt. */
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

    /** Ends the doubt if all others have answered and the state is complete, or when the absence timeout is over. */
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

    /** Returns whether this member is in doubt, as {@link #isInDoubt} but without a look at the clock. */
    boolean isInDoubtStill() {
        return isInDoubt;
    }

    /** Waits for the end of a doubt, unless the options say not to wait; returns whether the doubt is over. */
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
