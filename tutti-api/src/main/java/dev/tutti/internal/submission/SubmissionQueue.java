package dev.tutti.internal.submission;

import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.SendException.Reason;
import dev.tutti.Stability;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Host;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.LargeMessage;
import dev.tutti.protocols.packing.Marks;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.SpareArrays;
import dev.tutti.protocols.packing.Submissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Queue between application threads and the node's loop for outgoing messages: a lock around {@link Outgoing}.
 *
 * <p>Application threads copy their messages into the waiting packet themselves, so that the loop only takes full ones.
 * Measured against a ring of bytes, the lock is faster with few threads and slower with many, and allocates nothing
 * (docs/decisions/0020-application-threads-pack-under-a-lock.md).
 */
public final class SubmissionQueue {

    /** The kinds of threads that send. */
    public enum Caller {
        /** Any other thread; may wait. */
        OTHER,
        /** A listener's thread: nothing of the group is delivered in order before the listener has returned. */
        LISTENER,
        /** The loop's thread, in the middle of a turn: must not wait. */
        LOOP
    }

    /** Reason why nothing is submitted any more. */
    private record End(Reason kind, String reason, @Nullable Throwable cause) {
        SendException refusal() {
            return new SendException(kind, reason, cause);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();

    private final Outgoing outgoing;
    private final Receipts receipts;
    private final AsyncSends asyncSends;
    private final BlockedSenders blocked;
    private volatile long timeoutNanos;
    private final SubmissionOwner owner;
    private final SubmittedPackets submitted;

    /** Null while messages are accepted. */
    private @Nullable End end;

    /**
     * @param spares spare arrays for copies of large messages
     * @param bytesMax bytes of copied messages that may wait
     * @param receiptTimeout time after which a receipt fails
     */
    public SubmissionQueue(
            Host host,
            SpareArrays spares,
            long bytesMax,
            PacketSizes sizes,
            Duration timeout,
            Duration receiptTimeout,
            SubmissionOwner owner) {
        this.outgoing = new Outgoing(host.driver().memory(), spares, bytesMax, sizes);
        this.receipts = new Receipts(host, lock, receiptTimeout.toNanos(), owner);
        this.asyncSends = new AsyncSends(host, outgoing, bytesMax);
        this.blocked = new BlockedSenders(host, lock, owner, outgoing, receipts, timeout, bytesMax);
        this.submitted = new SubmittedPackets(lock, outgoing, asyncSends, blocked);
        this.timeoutNanos = timeout.toNanos();
        this.owner = owner;
        outgoing.tellUnsent(receipts::onUnsent);
    }

    /** Changes the longest wait of sends that begin from now on. */
    public void changeTimeout(Duration timeout) {
        timeoutNanos = timeout.toNanos();
        blocked.changeTimeout(timeout);
    }

    /** Returns the loop's side of this queue. */
    public Submissions submitted() {
        return submitted;
    }

    // ------------------------------------------------------------------ application threads

    public void send(@Nullable Member receiver, byte[] message, int offset, int length) {
        lock.lock();
        try {
            checkOpen();
            if (Outgoing.isCopied(length) && asyncSends.isEmpty() && outgoing.offer(receiver, message, offset, length)) {
                // The usual case: the message was taken at once.
            } else if (Outgoing.isCopied(length)) {
                awaitRoom(receiver, message, offset, length);
            } else {
                checkLength(receiver, length);
                awaitTurn();
                awaitLarge(outgoing.offerLarge(receiver, message, offset, length));
                return;
            }
        } finally {
            lock.unlock();
        }
        owner.wake();
    }

    private void awaitRoom(@Nullable Member receiver, byte[] message, int offset, int length) {
        long remainingNanos = timeoutNanos;
        owner.wake();
        while (!asyncSends.isEmpty() || !outgoing.offer(receiver, message, offset, length)) {
            remainingNanos = blocked.awaitRoom(remainingNanos);
            checkOpen();
        }
    }

    /** Lets asynchronous sends go first that wait already: the calling thread may have made them. */
    private void awaitTurn() {
        long remainingNanos = timeoutNanos;
        while (!asyncSends.isEmpty()) {
            owner.wake();
            remainingNanos = blocked.awaitRoom(remainingNanos);
            checkOpen();
        }
    }

    public void send(@Nullable Member receiver, byte[] message, Marks marks) {
        int length = message.length;
        checkOutOfBand(length, marks);
        lock.lock();
        try {
            checkOpen();
            if (!isTakenAtOnce(length, marks)) {
                checkLength(receiver, length);
                awaitTurn();
                awaitLarge(outgoing.offerLarge(receiver, message, 0, length, marks));
                return;
            }
            awaitRoom(receiver, message, marks);
        } finally {
            lock.unlock();
        }
        owner.wake();
    }

    /**
     * Sends a message with a receipt.
     *
     * @param receiver receiver of the message; null for all members
     */
    public CompletableFuture<Delivery> sendStable(
            Member self, View view, @Nullable Member receiver, byte[] message, Marks marks, Stability stability) {
        int length = message.length;
        checkOutOfBand(length, marks);
        Receipts.Receipt receipt;
        lock.lock();
        try {
            checkOpen();
            long remainingNanos = timeoutNanos;
            while (receipts.isFull()) {
                owner.wake();
                remainingNanos = blocked.awaitReceipt(remainingNanos);
                checkOpen();
            }
            if (!isTakenAtOnce(length, marks)) {
                checkLength(receiver, length);
                awaitTurn();
                LargeMessage large = outgoing.offerLarge(receiver, message, 0, length, marks);
                receipt = receipts.open(outgoing.ask(), self, receiver, stability, view);
                awaitLarge(large, receipt);
                return receipt.stable();
            }
            awaitRoom(receiver, message, marks);
            receipt = receipts.open(outgoing.ask(), self, receiver, stability, view);
        } finally {
            lock.unlock();
        }
        owner.wake();
        return receipt.stable();
    }

    /** Returns whether a message is copied when there is room; others are taken from their array while the sender waits. */
    private static boolean isTakenAtOnce(int length, Marks marks) {
        return marks.isOutOfBand() || Outgoing.isCopied(length);
    }

    private void awaitRoom(@Nullable Member receiver, byte[] message, Marks marks) {
        long remainingNanos = timeoutNanos;
        while (!offer(receiver, message, 0, message.length, marks)) {
            owner.wake();
            remainingNanos = blocked.awaitRoom(remainingNanos);
            checkOpen();
        }
    }

    /** Offers a message; one out of band does not wait behind asynchronous sends. */
    private boolean offer(@Nullable Member receiver, byte[] message, int offset, int length, Marks marks) {
        return (marks.isOutOfBand() || asyncSends.isEmpty()) && outgoing.offer(receiver, message, offset, length, marks);
    }

    private void awaitLarge(LargeMessage large, Receipts.Receipt receipt) {
        try {
            awaitLarge(large);
        } finally {
            if (!large.isTaken()) {
                receipts.forget(receipt);
            }
        }
    }

    /** Notes which members deliver a packet. On the loop. */
    public void onKnown(long ticket, Delivery delivery) {
        lock.lock();
        try {
            receipts.onKnown(ticket, delivery);
            if (!receipts.isFull()) {
                blocked.onReceiptGiven();
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkOutOfBand(int length, Marks marks) {
        if (marks.isOutOfBand() && !outgoing.isSmall(length)) {
            throw new SendException(Reason.TOO_LARGE, "a message of " + length + " bytes does not fit into a packet, so that it "
                    + "can't be sent out of band: send it in a scope");
        }
    }

    /** Submits a message about the state. Never waits; does nothing when the group is left. */
    public void sendState(@Nullable Member receiver, byte[] content, int length) {
        lock.lock();
        try {
            if (end != null) {
                return;
            }
            outgoing.offerState(receiver, content, 0, length);
        } finally {
            lock.unlock();
        }
        owner.wake();
    }

    private void awaitLarge(LargeMessage large) {
        long remainingNanos = timeoutNanos;
        long seen = large.progress();
        owner.wake();
        try {
            while (!large.isTaken()) {
                String failure = large.failure();
                if (failure != null) {
                    End over = end;
                    Reason reason = large.isTooLarge() ? Reason.TOO_LARGE : over == null ? Reason.NO_MEMBER : over.kind();
                    throw new SendException(reason, failure, over == null ? null : over.cause());
                }
                remainingNanos = blocked.awaitProgress(remainingNanos);
                if (large.progress() != seen) {
                    // A time without progress ends a send; a long message or a long queue does not.
                    seen = large.progress();
                    remainingNanos = timeoutNanos;
                }
            }
        } finally {
            if (!large.isTaken()) {
                outgoing.withdraw(large);
                // The receivers have to be told, and the next large message can begin.
                owner.wake();
            }
        }
    }

    /** Notes that the stack is about to look at submitted messages, requested by {@link SubmissionOwner#look}. On the loop. */
    public void onLook() {
        lock.lock();
        try {
            blocked.onLook();
        } finally {
            lock.unlock();
        }
    }

    public NodeInspection.Part part(Settings settings) {
        lock.lock();
        try {
            return new NodeInspection.Part(
                    "submission",
                    Map.of(GroupSettings.SEND_TIMEOUT.name(), settings.text(GroupSettings.SEND_TIMEOUT)),
                    new TreeMap<>(Map.of(
                            "waiting-sends", (long) asyncSends.size(),
                            "blocked-threads", (long) blocked.threads(),
                            "send-waits", blocked.waits(),
                            "send-wait-nanos", blocked.waitNanos(),
                            "receipts-waiting", (long) receipts.waiting(),
                            "receipts-given", receipts.given(),
                            "receipts-failed", receipts.failed(),
                            "discarded-bytes", outgoing.discardedBytes(),
                            "refused-messages", outgoing.refusedLater())),
                    Map.of());
        } finally {
            lock.unlock();
        }
    }

    public boolean trySend(@Nullable Member receiver, byte[] message, int offset, int length, Marks marks) {
        checkOutOfBand(length, marks);
        lock.lock();
        try {
            checkOpen();
            checkLength(receiver, length);
            if (isTakenAtOnce(length, marks)) {
                if (!offer(receiver, message, offset, length, marks)) {
                    return false;
                }
            } else if (asyncSends.isEmpty() && outgoing.isEmpty()) {
                outgoing.offerLarge(receiver, Arrays.copyOfRange(message, offset, offset + length), 0, length, marks);
            } else {
                return false;
            }
        } finally {
            lock.unlock();
        }
        owner.wake();
        return true;
    }

    public CompletableFuture<Void> sendAsync(@Nullable Member receiver, byte[] message) {
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        lock.lock();
        try {
            checkOpen();
            checkLength(receiver, message.length);
            asyncSends.send(receiver, message, accepted);
        } catch (SendException e) {
            accepted.completeExceptionally(e);
        } finally {
            lock.unlock();
        }
        owner.wake();
        return accepted;
    }

    /** Returns the number of packets that the loop has taken so far, if a send waits; otherwise -1. */
    public long takenWhileSendsWait() {
        lock.lock();
        try {
            return blocked.threads() > 0 || !asyncSends.isEmpty() ? submitted.taken() : -1;
        } finally {
            lock.unlock();
        }
    }

    public String waitsFor() {
        lock.lock();
        try {
            return end != null ? end.reason() : outgoing.waitsFor();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new messages from now on; accepted ones are still sent. */
    public void refuse(Reason kind, String reason, @Nullable Throwable cause) {
        lock.lock();
        try {
            end(kind, reason, cause);
            blocked.wakeAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the queue: nothing is taken any more, and waiting senders fail. */
    public void close(Reason kind, String reason, @Nullable Throwable cause) {
        lock.lock();
        try {
            End first = end(kind, reason, cause);
            outgoing.close(reason);
            receipts.close(reason);
            blocked.wakeAll();
            asyncSends.close(first.kind(), reason, cause);
        } finally {
            lock.unlock();
        }
    }

    /** Sets the end, unless there is one already. */
    private End end(Reason kind, String reason, @Nullable Throwable cause) {
        End first = end == null ? new End(kind, reason, cause) : end;
        end = first;
        return first;
    }

    private void checkLength(@Nullable Member receiver, int length) {
        String refusal = outgoing.refusal(receiver, length);
        if (refusal != null) {
            throw new SendException(Reason.TOO_LARGE, refusal);
        }
    }

    private void checkOpen() {
        if (end != null) {
            throw end.refusal();
        }
    }
}
