package dev.tutti.internal.submission;

import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.SendException.Reason;
import dev.tutti.Stability;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Host;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.SpareArrays;
import dev.tutti.protocols.packing.Submissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue between application threads and the node's loop for outgoing messages: a lock around {@link Outgoing}.
 *
 * <p>Application threads copy their messages into the waiting packet themselves, so that the loop only takes full ones.
 * Measured against a ring of bytes, the lock is faster with few threads and slower with many, and allocates nothing
 * (docs/decisions/0020-application-threads-pack-under-a-lock.md).
 */
public final class SubmissionQueue implements Submissions {

    /** The kinds of threads that send. */
    public enum Caller {
        /** Any other thread; may wait. */
        OTHER,
        /** A listener's thread: nothing of the group is delivered in order before the listener has returned. */
        LISTENER,
        /** The loop's thread, in the middle of a turn: must not wait. */
        LOOP
    }

    private record Waiting(@Nullable Member receiver, byte[] message, CompletableFuture<Void> accepted) {}

    /** Most asynchronous sends that may wait; further ones fail at once. */
    private static final int WAITING_MAX = 10_000;

    /** Most threads that are woken when nothing is left to take, in case each has only a single message. */
    private static final int WOKEN_MAX = 4;

    /** Waiting time from which on a send is reported. */
    private static final long LONG_NANOS = 100_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(SubmissionQueue.class);

    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when there is room for a message that is copied. */
    private final Condition room;

    /** Signalled by the loop when it has taken part of a large message. */
    private final Condition progress;

    /** Signalled when a receipt was given, for messages that wait because too many are pending. */
    private final Condition receiptGiven;

    /** Signalled for waiting listeners, in place of the others: they also need to know the cause of the wait. */
    private final Condition listening;

    private final Receipts receipts;
    private final Outgoing outgoing;
    private final Host host;
    private final long bytesMax;
    private final long timeoutNanos;
    private final Duration timeout;
    private final SubmissionOwner owner;
    private final OwnWindow ownWindow;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private int blockedThreads;
    private int blockedListeners;

    /** Number of blocked threads that wait for room. */
    private int threadsWithoutRoom;

    /** Signalled threads that do not run yet, or fewer: a higher number would leave the others without a signal. */
    private int wokenThreads;

    private long waits;
    private long takenPackets;
    private long waitNanos;
    private @Nullable String closedBecause;
    private Reason closedReason = Reason.LEFT;
    private @Nullable Throwable closedBy;

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
        this.room = host.condition(lock);
        this.progress = host.condition(lock);
        this.receiptGiven = host.condition(lock);
        this.receipts = new Receipts(host, lock, receiptTimeout.toNanos(), owner);
        this.host = host;
        this.outgoing = new Outgoing(host.driver().memory(), spares, bytesMax, sizes);
        this.bytesMax = bytesMax;
        this.timeout = timeout;
        this.timeoutNanos = timeout.toNanos();
        this.owner = owner;
        this.listening = host.condition(lock);
        this.ownWindow = new OwnWindow(owner, outgoing);
        outgoing.tellUnsent(receipts::onUnsent);
    }

    // ------------------------------------------------------------------ application threads

    public void send(@Nullable Member receiver, byte[] message, int offset, int length) {
        lock.lock();
        try {
            checkOpen();
            if (Outgoing.isCopied(length) && waiting.isEmpty() && outgoing.offer(receiver, message, offset, length)) {
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
        while (!waiting.isEmpty() || !outgoing.offer(receiver, message, offset, length)) {
            remainingNanos = awaitRoom(remainingNanos);
            checkOpen();
        }
    }

    /** Lets asynchronous sends go first that wait already: the calling thread may have made them. */
    private void awaitTurn() {
        long remainingNanos = timeoutNanos;
        while (!waiting.isEmpty()) {
            owner.wake();
            remainingNanos = awaitRoom(remainingNanos);
            checkOpen();
        }
    }

    private long awaitRoom(long remainingNanos) {
        threadsWithoutRoom++;
        try {
            return await(room, remainingNanos);
        } finally {
            threadsWithoutRoom--;
            // The wait may have ended by timeout. Then one more thread is woken than was intended.
            wokenThreads = Math.max(0, wokenThreads - 1);
        }
    }

    public void send(@Nullable Member receiver, byte[] message, Ordering ordering) {
        Integer number = ordering.scope();
        int length = message.length;
        if (number == null) {
            checkOutOfBand(length);
        }
        lock.lock();
        try {
            checkOpen();
            if (number != null && !Outgoing.isCopied(length)) {
                checkLength(receiver, length);
                awaitTurn();
                awaitLarge(outgoing.offerLarge(receiver, message, 0, length, number));
                return;
            }
            long remainingNanos = timeoutNanos;
            while (!offerScopedOrOutOfBand(receiver, message, number)) {
                owner.wake();
                remainingNanos = awaitRoom(remainingNanos);
                checkOpen();
            }
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
            Member self, View view, @Nullable Member receiver, byte[] message, Ordering ordering, Stability stability) {
        int length = message.length;
        Integer number = ordering.scope();
        boolean isOutOfBand = ordering.isOutOfBand();
        if (isOutOfBand) {
            checkOutOfBand(length);
        }
        Receipts.Receipt receipt;
        lock.lock();
        try {
            checkOpen();
            long remainingNanos = timeoutNanos;
            while (receipts.isFull()) {
                owner.wake();
                remainingNanos = await(receiptGiven, remainingNanos);
                checkOpen();
            }
            if (!isOutOfBand && !Outgoing.isCopied(length)) {
                checkLength(receiver, length);
                awaitTurn();
                Outgoing.Large large = outgoing.offerLarge(receiver, message, 0, length, number);
                receipt = receipts.open(outgoing.ask(), self, receiver, stability, view);
                awaitLarge(large, receipt);
                return receipt.stable();
            }
            while (!(isOutOfBand ? outgoing.offerOutOfBand(receiver, message, 0, length) : offer(receiver, message, number))) {
                owner.wake();
                remainingNanos = awaitRoom(remainingNanos);
                checkOpen();
            }
            receipt = receipts.open(outgoing.ask(), self, receiver, stability, view);
        } finally {
            lock.unlock();
        }
        owner.wake();
        return receipt.stable();
    }

    private void awaitLarge(Outgoing.Large large, Receipts.Receipt receipt) {
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
                receiptGiven.signalAll();
                listening.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkOutOfBand(int length) {
        if (!outgoing.isSmall(length)) {
            throw new SendException(Reason.TOO_LARGE, "a message of " + length + " bytes does not fit into a packet, so that it "
                    + "can't be sent out of band: send it in a scope");
        }
    }

    private boolean offer(@Nullable Member receiver, byte[] message, @Nullable Integer scope) {
        if (!waiting.isEmpty()) {
            return false;
        }
        int length = message.length;
        return scope == null
                ? outgoing.offer(receiver, message, 0, length)
                : outgoing.offerScoped(receiver, message, 0, length, scope);
    }

    /** Offers a message; one out of band does not wait behind asynchronous sends. */
    private boolean offerScopedOrOutOfBand(@Nullable Member receiver, byte[] message, @Nullable Integer scope) {
        if (scope == null) {
            return outgoing.offerOutOfBand(receiver, message, 0, message.length);
        }
        return offer(receiver, message, scope);
    }

    /** Submits a message about the state. Never waits; does nothing when the group is left. */
    public void sendState(@Nullable Member receiver, byte[] content, int length) {
        lock.lock();
        try {
            if (closedBecause != null) {
                return;
            }
            outgoing.offerState(receiver, content, 0, length);
        } finally {
            lock.unlock();
        }
        owner.wake();
    }

    private void awaitLarge(Outgoing.Large large) {
        long remainingNanos = timeoutNanos;
        long seen = large.progress();
        owner.wake();
        try {
            while (!large.isTaken()) {
                String failure = large.failure();
                if (failure != null) {
                    Reason reason = large.isTooLarge()
                            ? Reason.TOO_LARGE
                            : closedBecause == null ? Reason.NO_MEMBER : closedReason;
                    throw new SendException(reason, failure, closedBy);
                }
                remainingNanos = await(progress, remainingNanos);
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

    private long await(Condition condition, long remainingNanos) {
        Caller caller = owner.caller();
        if (caller == Caller.LOOP) {
            throw new SendException(Reason.LISTENER, "a listener of an inline group would have to wait in send, for the loop that it runs on: "
                    + waitedFor(condition) + "; use sendAsync or trySend, or send from another thread");
        }
        if (remainingNanos <= 0) {
            throw new SendException(
                    timeoutReason(condition), "not sent within send-timeout (" + timeout.toMillis() + " ms): " + waitedFor(condition));
        }
        boolean isListener = caller == Caller.LISTENER;
        long nanos = remainingNanos;
        if (isListener && condition != receiptGiven) {
            nanos = Math.min(nanos, ownWindow.check());
        }
        blockedThreads++;
        blockedListeners += isListener ? 1 : 0;
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
            blockedThreads--;
            blockedListeners -= isListener ? 1 : 0;
        }
    }

    /** Notes that the stack is about to look at submitted messages, requested by {@link SubmissionOwner#look}. On the loop. */
    public void onLook() {
        lock.lock();
        try {
            ownWindow.onLook();
        } finally {
            lock.unlock();
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

    public NodeInspection.Part part(Settings settings) {
        lock.lock();
        try {
            return new NodeInspection.Part(
                    "submission",
                    Map.of(GroupSettings.SEND_TIMEOUT.name(), settings.text(GroupSettings.SEND_TIMEOUT)),
                    new TreeMap<>(Map.of(
                            "waiting-sends", (long) waiting.size(),
                            "blocked-threads", (long) blockedThreads,
                            "send-waits", waits,
                            "send-wait-nanos", waitNanos,
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

    public boolean trySend(@Nullable Member receiver, byte[] message, int offset, int length) {
        lock.lock();
        try {
            checkOpen();
            if (!waiting.isEmpty()) {
                return false;
            }
            checkLength(receiver, length);
            if (Outgoing.isCopied(length)) {
                if (!outgoing.offer(receiver, message, offset, length)) {
                    return false;
                }
            } else if (outgoing.isEmpty()) {
                outgoing.offerLarge(receiver, Arrays.copyOfRange(message, offset, offset + length), 0, length);
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
            if (waiting.isEmpty()
                    && Outgoing.isCopied(message.length)
                    && outgoing.offer(receiver, message, 0, message.length)) {
                accepted.complete(null);
            } else if (waiting.size() >= WAITING_MAX) {
                accepted.completeExceptionally(new SendException(
                        Reason.QUEUE_FULL,
                        WAITING_MAX + " sends wait already, because " + outgoing.waitsFor()
                                + "; complete some before sending more"));
            } else {
                waiting.add(new Waiting(receiver, message, accepted));
            }
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
            return blockedThreads > 0 || !waiting.isEmpty() ? takenPackets : -1;
        } finally {
            lock.unlock();
        }
    }

    public String waitsFor() {
        lock.lock();
        try {
            return closedBecause != null ? closedBecause : outgoing.waitsFor();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new messages from now on; accepted ones are still sent. */
    public void refuse(Reason kind, String reason, @Nullable Throwable cause) {
        lock.lock();
        try {
            if (closedBecause == null) {
                closedBecause = reason;
                closedReason = kind;
                closedBy = cause;
            }
            wakeAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the queue: nothing is taken any more, and waiting senders fail. */
    public void close(Reason kind, String reason, @Nullable Throwable cause) {
        List<Waiting> unsent;
        Reason refused;
        lock.lock();
        try {
            if (closedBecause == null) {
                closedBecause = reason;
                closedReason = kind;
                closedBy = cause;
            }
            outgoing.close(reason);
            receipts.close(reason);
            unsent = new ArrayList<>(waiting);
            refused = closedReason;
            waiting.clear();
            wakeAll();
        } finally {
            lock.unlock();
        }
        for (Waiting one : unsent) {
            host.start("tutti-refused", () ->
                    one.accepted().completeExceptionally(new SendException(refused, reason, cause)));
        }
    }

    private void wakeAll() {
        listening.signalAll();
        room.signalAll();
        progress.signalAll();
        receiptGiven.signalAll();
    }

    private void checkLength(@Nullable Member receiver, int length) {
        String refusal = outgoing.refusal(receiver, length);
        if (refusal != null) {
            throw new SendException(Reason.TOO_LARGE, refusal);
        }
    }

    private void checkOpen() {
        if (closedBecause != null) {
            throw new SendException(closedReason, closedBecause, closedBy);
        }
    }

    // ------------------------------------------------------------------ the loop

    @Override
    public @Nullable Packet take(@Nullable Member receiver, long payloadBytesMax) {
        lock.lock();
        try {
            long largeTaken = outgoing.largeTaken();
            Packet packet = outgoing.take(receiver, payloadBytesMax);
            if (packet != null) {
                takenPackets++;
                acceptWaiting();
                if (blockedThreads > 0) {
                    wakeAfterTaking(outgoing.largeTaken() != largeTaken);
                }
            }
            return packet;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wakes one sender, which has the room to itself: waking all would mean a switch of threads for a few messages
     * each. When its messages are taken, the next is woken (docs/decisions/0020).
     */
    private void wakeAfterTaking(boolean isLargeTaken) {
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

    private void acceptWaiting() {
        Waiting next = waiting.peek();
        while (next != null) {
            byte[] message = next.message();
            if (Outgoing.isCopied(message.length)) {
                if (!outgoing.offer(next.receiver(), message, 0, message.length)) {
                    return;
                }
            } else if (outgoing.refusal(next.receiver(), message.length) instanceof String refusal) {
                waiting.poll();
                CompletableFuture<Void> refused = next.accepted();
                host.start("tutti-refused", () -> refused.completeExceptionally(new SendException(Reason.TOO_LARGE, refusal)));
                next = waiting.peek();
                continue;
            } else if (outgoing.bytes() > bytesMax / 2) {
                return;
            } else {
                outgoing.offerLarge(next.receiver(), message, 0, message.length);
            }
            waiting.poll();
            CompletableFuture<Void> accepted = next.accepted();
            // Completions of the application must not run on the loop.
            host.start("tutti-accepted", () -> accepted.complete(null));
            next = waiting.peek();
        }
    }

    @Override
    public List<@Nullable Member> receivers() {
        lock.lock();
        try {
            acceptWaiting();
            return outgoing.receivers();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void restart(@Nullable Member receiver) {
        lock.lock();
        try {
            outgoing.restart(receiver);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void discard(Member receiver, String reason) {
        lock.lock();
        try {
            outgoing.discard(receiver, reason);
            wakeAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isWaiting(@Nullable Member receiver) {
        lock.lock();
        try {
            return outgoing.isWaiting(receiver);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isEmpty() {
        lock.lock();
        try {
            return outgoing.isEmpty() && waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void limit(@Nullable Member receiver, long messageBytesMax, Member of) {
        lock.lock();
        try {
            long before = outgoing.refusedLater();
            outgoing.limit(receiver, messageBytesMax, of);
            if (outgoing.refusedLater() != before) {
                LOG.warn("{} messages that waited are not sent: {} takes at most {} bytes (its message-bytes-max)",
                        outgoing.refusedLater() - before, of, messageBytesMax);
                wakeAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void forget(Member receiver) {
        lock.lock();
        try {
            outgoing.forget(receiver);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void share(long bytes) {
        lock.lock();
        try {
            outgoing.share(bytes);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Large wantsTurn(@Nullable Member receiver) {
        lock.lock();
        try {
            return outgoing.wantsTurn(receiver);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void giveTurn(@Nullable Member receiver, int number) {
        lock.lock();
        try {
            outgoing.giveTurn(receiver, number);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long takenInTurn(@Nullable Member receiver, int number) {
        lock.lock();
        try {
            return outgoing.takenInTurn(receiver, number);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onQueueMoved(@Nullable Member receiver, int number) {
        lock.lock();
        try {
            outgoing.onQueueMoved(receiver, number);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void explain(String reason, @Nullable Member closedBy) {
        lock.lock();
        try {
            outgoing.explain(reason, closedBy);
            ownWindow.onExplained();
            if (blockedListeners > 0) {
                listening.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
