package dev.tutti.internal.submission;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.Submissions;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loop's side of a {@link SubmissionQueue}: takes packets under the lock, and wakes senders that they make room for. */
final class SubmittedPackets implements Submissions {

    private static final Logger LOG = LoggerFactory.getLogger(SubmissionQueue.class);

    private final ReentrantLock lock;
    private final Outgoing outgoing;
    private final AsyncSends asyncSends;
    private final BlockedSenders blocked;
    private long taken;

    /** @param lock guards the other arguments, and this object */
    SubmittedPackets(ReentrantLock lock, Outgoing outgoing, AsyncSends asyncSends, BlockedSenders blocked) {
        this.lock = lock;
        this.outgoing = outgoing;
        this.asyncSends = asyncSends;
        this.blocked = blocked;
    }

    /** Returns the number of packets that were taken. The lock is held. */
    long taken() {
        return taken;
    }

    @Override
    public @Nullable Packet take(@Nullable Member receiver, long payloadBytesMax) {
        lock.lock();
        try {
            long largeTaken = outgoing.largeTaken();
            Packet packet = outgoing.take(receiver, payloadBytesMax);
            if (packet != null) {
                taken++;
                asyncSends.submit();
                blocked.onTaken(outgoing.largeTaken() != largeTaken);
            }
            return packet;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<@Nullable Member> receivers() {
        lock.lock();
        try {
            asyncSends.submit();
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
            blocked.wakeAll();
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
            return outgoing.isEmpty() && asyncSends.isEmpty();
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
                blocked.wakeAll();
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
            blocked.onExplained();
        } finally {
            lock.unlock();
        }
    }
}
