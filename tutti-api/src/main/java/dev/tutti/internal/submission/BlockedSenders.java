package dev.tutti.internal.submission;

import static dev.tutti.protocols.packing.Submissions.VIEW_CHANGING;
import static dev.tutti.protocols.packing.Submissions.WINDOW_CLOSED;

import dev.tutti.SendException;
import dev.tutti.SendException.Reason;
import dev.tutti.internal.Host;
import dev.tutti.protocols.packing.Outgoing;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait in a send: for room, for a large message to be taken, or for the receipts of earlier messages. Guarded
 * by the lock of the {@link SubmissionQueue}, which waiting releases.
 */
final class BlockedSenders {

    /** Most threads that are woken when nothing is left to take, in case each has only a single message. */
    private static final int WOKEN_MAX = 4;

    /** Waiting time from which on a send is reported. */
    private static final long LONG_NANOS = 100_000_000;

    private final SubmissionOwner owner;
    private final Outgoing outgoing;
    private final Receipts receipts;
    private final OwnWindow ownWindow;
    private volatile Duration timeout;
    private final long bytesMax;

    /** Signalled when there is room for a message that is copied. */
    private final Condition room;

    /** Signalled by the loop when it has taken part of a large message. */
    private final Condition progress;

    /** Signalled when a receipt was given, for messages that wait because too many are pending. */
    private final Condition receiptGiven;

    /** Signalled for waiting listeners, in place of the others: they also need to know the cause of the wait. */
    private final Condition listening;

    private int threads;
    private int listeners;

    /** Number of blocked threads that wait for room. */
    private int threadsWithoutRoom;

    /** Signalled threads that do not run yet, or fewer: a higher number would leave the others without a signal. */
    private int wokenThreads;

    private long waits;
    private long waitNanos;

    /**
     * @param timeout longest wait of a send
     * @param bytesMax bytes of copied messages that may wait in {@code outgoing}
     */
    BlockedSenders(
            Host host,
            ReentrantLock lock,
            SubmissionOwner owner,
            Outgoing outgoing,
            Receipts receipts,
            Duration timeout,
            long bytesMax) {
        this.owner = owner;
        this.outgoing = outgoing;
        this.receipts = receipts;
        this.ownWindow = new OwnWindow(owner, outgoing);
        this.timeout = timeout;
        this.bytesMax = bytesMax;
        this.room = host.condition(lock);
        this.progress = host.condition(lock);
        this.receiptGiven = host.condition(lock);
        this.listening = host.condition(lock);
    }

    /** Changes the longest wait, as errors name it. */
    void changeTimeout(Duration changed) {
        timeout = changed;
    }

    // ------------------------------------------------------------------ waiting

    /** Waits for room, for {@code remainingNanos} at most; returns the time that is left. */
    long awaitRoom(long remainingNanos) {
        threadsWithoutRoom++;
        try {
            return await(room, remainingNanos);
        } finally {
            threadsWithoutRoom--;
            // The wait may have ended by timeout. Then one more thread is woken than was intended.
            wokenThreads = Math.max(0, wokenThreads - 1);
        }
    }

    /** Waits until part of a large message was taken; returns the time that is left. */
    long awaitProgress(long remainingNanos) {
        return await(progress, remainingNanos);
    }

    /** Waits for a receipt of an earlier message; returns the time that is left. */
    long awaitReceipt(long remainingNanos) {
        return await(receiptGiven, remainingNanos);
    }

    private long await(Condition condition, long remainingNanos) {
        SubmissionQueue.Caller caller = owner.caller();
        if (caller == SubmissionQueue.Caller.LOOP) {
            throw new SendException(Reason.LISTENER, "a listener of an inline group would have to wait in send, for the loop that it runs on: "
                    + waitedFor(condition) + "; use sendAsync or trySend, or send from another thread");
        }
        if (remainingNanos <= 0) {
            throw new SendException(
                    timeoutReason(condition), "not sent within send-timeout (" + timeout.toMillis() + " ms): " + waitedFor(condition));
        }
        boolean isListener = caller == SubmissionQueue.Caller.LISTENER;
        long nanos = remainingNanos;
        if (isListener && condition != receiptGiven) {
            nanos = Math.min(nanos, ownWindow.check());
        }
        threads++;
        listeners += isListener ? 1 : 0;
        waits++;
        String reason = waitedFor(condition);
        try {
            long leftNanos = remainingNanos - nanos + (isListener ? listening : condition).awaitNanos(nanos);
            long waitedNanos = remainingNanos - leftNanos;
            waitNanos += waitedNanos;
            if (waitedNanos >= LONG_NANOS) {
                owner.onWaited(waitedNanos, reason);
            }
            return leftNanos;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SendException(Reason.INTERRUPTED, "interrupted while waiting: " + waitedFor(condition));
        } finally {
            threads--;
            listeners -= isListener ? 1 : 0;
        }
    }

    private Reason timeoutReason(Condition condition) {
        String waitsFor = outgoing.waitsFor();
        if (condition == receiptGiven || waitsFor.isEmpty()) {
            return Reason.QUEUE_FULL;
        }
        if (waitsFor.equals(VIEW_CHANGING)) {
            return Reason.VIEW_CHANGE;
        }
        return waitsFor.startsWith(WINDOW_CLOSED) ? Reason.WINDOW_CLOSED : Reason.NOT_PRIMARY;
    }

    private String waitedFor(Condition condition) {
        if (condition == receiptGiven) {
            return receipts.waiting() + " receipts are waited for";
        }
        String waitsFor = outgoing.waitsFor();
        return waitsFor.isEmpty() ? "the loop has not taken what was submitted before" : waitsFor;
    }

    // ------------------------------------------------------------------ waking

    /**
     * Notes that a packet was taken. One sender is woken, which has the room to itself: waking all would mean a switch of
     * threads for a few messages each. When its messages are taken, the next is woken (docs/decisions/0020).
     *
     * @param isLargeTaken whether a large message has been taken as a whole
     */
    void onTaken(boolean isLargeTaken) {
        if (threads == 0) {
            return;
        }
        listening.signalAll();
        if (isLargeTaken) {
            progress.signalAll();
        }
        if (outgoing.bytes() > bytesMax / 2) {
            return;
        }
        int wokenMax = Math.min(threadsWithoutRoom, outgoing.isEmpty() ? WOKEN_MAX : 1);
        while (wokenThreads < wokenMax) {
            wokenThreads++;
            room.signal();
        }
    }

    void onReceiptGiven() {
        receiptGiven.signalAll();
        listening.signalAll();
    }

    /** Notes that the stack is about to look at submitted messages, requested by {@link SubmissionOwner#look}. */
    void onLook() {
        ownWindow.onLook();
    }

    /** Notes that the stack has explained what sends wait for. */
    void onExplained() {
        ownWindow.onExplained();
        if (listeners > 0) {
            listening.signalAll();
        }
    }

    void wakeAll() {
        listening.signalAll();
        room.signalAll();
        progress.signalAll();
        receiptGiven.signalAll();
    }

    // ------------------------------------------------------------------ counters

    /** Returns the number of threads that wait. */
    int threads() {
        return threads;
    }

    /** Returns the number of waits so far. */
    long waits() {
        return waits;
    }

    long waitNanos() {
        return waitNanos;
    }
}
