package dev.tutti.sites;

import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.relay.Retention;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gate before the messages of one member that other sites get: one at a time, so that they are sent in the order of their numbers;
 * not while what the member has kept is brought back; and not while the log is full. Thread-safe, under the site group's lock.
 */
final class SendGate {

    /** Time that a listener waits for another thread that sends. That thread may wait for the listener. */
    private static final long LISTENER_NANOS = 100_000_000;

    private final SiteGroupBuilder settings;
    private final String name;
    private final Retention retention;
    private final ReentrantLock lock;
    private final Condition changed;
    private long sequence;
    private boolean isSending;

    /** Frames of this member that bring messages back, and were not delivered yet. */
    private int recovering;

    /** True while what this member has set aside is brought back. */
    private boolean isHeld;

    private boolean isClosed;

    /** Thread that calls the application's listeners now; null if there is none. */
    private volatile @Nullable Thread listening;

    SendGate(SiteGroupBuilder settings, Retention retention, ReentrantLock lock, Threads threads) {
        this.settings = settings;
        this.name = settings.group().name();
        this.retention = retention;
        this.lock = lock;
        this.changed = threads.condition(lock);
    }

    /** Notes the thread that calls listeners. */
    void setListening(@Nullable Thread thread) {
        listening = thread;
    }

    /**
     * Waits for this thread's turn and for room, and returns the number of the message. {@link #end} has to follow.
     *
     * @throws SendException if the time-out passes, or a listener would hold up what it waits for
     */
    long begin(int bytes) {
        boolean isListener = listening == Thread.currentThread();
        long left = isListener ? LISTENER_NANOS : settings.timeout().toNanos();
        lock.lock();
        try {
            while (!isClosed && (isSending || isRecovering() || !hasRoom(bytes))) {
                if (isListener && (left <= 0 || !hasRoom(bytes))) {
                    throw new SendException(SendException.Reason.LISTENER, "a listener of site group " + name
                            + " would have to wait for " + waitsFor(bytes) + ", and holds it up; send on another thread");
                }
                if (left <= 0) {
                    throw new SendException(SendException.Reason.QUEUE_FULL, "site group " + name + " has waited "
                            + settings.timeout().toMillis() + " ms for " + waitsFor(bytes));
                }
                left = changed.awaitNanos(left);
            }
            if (isClosed) {
                throw new SendException(SendException.Reason.LEFT, "site group " + name + " was left");
            }
            isSending = true;
            return sequence + 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SendException(SendException.Reason.INTERRUPTED, "the thread was interrupted while it waited to send", e);
        } finally {
            lock.unlock();
        }
    }

    /** @param isSent whether the message was accepted; otherwise its number is used again */
    void end(boolean isSent) {
        lock.lock();
        try {
            isSending = false;
            if (isSent) {
                sequence++;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until this member keeps a message that it has sent: the group delivers it, or is left. A listener does not wait, since it holds
     * that up itself.
     */
    void awaitKept(OriginMember self, long number) {
        if (listening == Thread.currentThread()) {
            return;
        }
        lock.lock();
        try {
            while (!isClosed && !retention.seen().covers(self, number)) {
                changed.awaitNanos(settings.timeout().toNanos());
            }
            if (isClosed && !retention.seen().covers(self, number)) {
                throw new SendException(SendException.Reason.LEFT, "site group " + name + " was left before this member has kept the message");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SendException(SendException.Reason.INTERRUPTED, "the thread was interrupted; the message is accepted, and may be kept", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until another site has what this member has sent so far. Returns false if some of it is no longer kept for that site, and
     * was not acknowledged.
     *
     * @throws SendException as {@link #begin}
     */
    boolean awaitAcknowledged(String site, OriginMember self) {
        if (listening == Thread.currentThread()) {
            throw new SendException(SendException.Reason.LISTENER, "a listener of site group " + name
                    + " would wait for site " + site + ", and holds up its acknowledgement; wait on another thread");
        }
        long left = settings.timeout().toNanos();
        lock.lock();
        try {
            long upTo = sequence;
            while (!isClosed && !retention.isPassed(site, self, upTo)) {
                if (left <= 0) {
                    throw new SendException(SendException.Reason.QUEUE_FULL, "site group " + name + " has waited "
                            + settings.timeout().toMillis() + " ms for site " + site + " to acknowledge what this member has sent");
                }
                left = changed.awaitNanos(left);
            }
            boolean isDropped = retention.dropped().of(self) > retention.acknowledged(site).of(self);
            return !isClosed && retention.knows(site) && !isDropped;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SendException(SendException.Reason.INTERRUPTED, "the thread was interrupted while it waited for site " + site, e);
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom(int bytes) {
        return settings.whenFull() == WhenFull.DROP_OLDEST
                || retention.count() == 0
                || retention.bytes() + bytes <= settings.retainedBytesMax();
    }

    private String waitsFor(int bytes) {
        if (!hasRoom(bytes)) {
            return "sites " + retention.lagging() + ", which lack " + retention.bytes() + " bytes of at most "
                    + settings.retainedBytesMax();
        }
        return isRecovering() ? "messages that this member brings back" : "another thread that sends";
    }

    /** Notes that messages may have been dropped from the log; under the lock. */
    void onRoom() {
        changed.signalAll();
    }

    /** Holds back sends, or lets them go on; under the lock. */
    void setHeld(boolean isHeld) {
        this.isHeld = isHeld;
        changed.signalAll();
    }

    /** Returns whether messages that this member brings back are under way; under the lock. */
    boolean isRecovering() {
        return isHeld || recovering > 0;
    }

    /** Notes that this member sends a frame that brings messages back. */
    void onRecovering() {
        lock.lock();
        try {
            recovering++;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a frame that brings messages back was delivered, or was not sent. */
    void onRecovered() {
        lock.lock();
        try {
            recovering--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all frames that bring messages back were delivered; returns false if the group is left before. */
    boolean awaitRecovered() {
        lock.lock();
        try {
            // They are in the group, which delivers them or is left: giving up before would hold back sends for good.
            while (recovering > 0 && !isClosed) {
                changed.awaitNanos(settings.timeout().toNanos());
            }
            return recovering == 0 && !isClosed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits; under the lock. */
    void close() {
        isClosed = true;
        changed.signalAll();
    }
}
