package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.ACKS_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.BYTES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.SEND_FAILURES;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.STALLS;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.codec.MessageWriter;
import dev.tutti.tomcat.replication.session.SessionMessage.Ack;
import dev.tutti.tomcat.replication.session.SessionMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** Numbers messages and hands them to the group. Thread-safe. */
final class Outbox {

    private static final int NUMBER_OFFSET = 1;

    private final Acknowledgement acknowledgement;
    private final ReplicationCounters counters;
    private final Executor executor;
    private final BooleanSupplier isAlone;
    private final CompletableFuture<SessionChannel> channel = new CompletableFuture<>();
    private final SendRoom room = new SendRoom();
    private final Object sending = new Object();
    private volatile long sent;

    /**
     * @param executor runs tasks that wait for the network
     * @param isAlone returns whether there is no other member
     */
    Outbox(Acknowledgement acknowledgement, ReplicationCounters counters, Executor executor, BooleanSupplier isAlone) {
        this.acknowledgement = acknowledgement;
        this.counters = counters;
        this.executor = executor;
        this.isAlone = isAlone;
    }

    /** Opens the outbox: the group is joined. */
    void open(SessionChannel joined) {
        channel.complete(joined);
    }

    /** Fails all senders: the group could not be joined. */
    void fail(RuntimeException cause) {
        channel.completeExceptionally(cause);
    }

    /** Leaves the group, if it was joined. */
    void close() {
        if (channel.isDone() && !channel.isCompletedExceptionally()) {
            channel.join().close();
        }
    }

    /** Returns the number of the last numbered message. */
    long sent() {
        return sent;
    }

    boolean hasRoom() {
        return room.isThere();
    }

    long pendingBytes() {
        return room.bytes();
    }

    /**
     * Waits until there is room to send.
     *
     * @throws StalledException if there is still no room after {@code timeout}
     */
    void awaitRoom(Waiting waiting, Duration timeout) throws StalledException {
        if (room.isThere()) {
            return;
        }
        waiting.await(room.lastAccepted(), timeout.toNanos());
        if (!room.isThere()) {
            counters.increment(STALLS);
            throw new StalledException(room.toString());
        }
    }

    /**
     * Sends to the group, without waiting. Nothing is sent while there is no other member: one that comes asks for the
     * state, which contains the changes already.
     *
     * @param isNumbered whether the others acknowledge the message
     * @return number of the message; 0 if it has none
     */
    long toGroup(SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered) {
        if (isAlone.getAsBoolean()) {
            return 0;
        }
        byte[] bytes = MessageWriter.encode(0, message);
        long number = 0;
        CompletableFuture<Void> accepted;
        synchronized (sending) {
            if (isNumbered && acknowledgement != Acknowledgement.NONE) {
                number = ++sent;
                for (int index = 0; index < Long.BYTES; index++) {
                    bytes[NUMBER_OFFSET + index] = (byte) (number >>> (8 * (Long.BYTES - 1 - index)));
                }
            }
            accepted = channel.join().send(bytes);
            room.onSent(bytes.length, accepted);
        }
        counters.increment(counter);
        counters.add(BYTES_SENT, bytes.length);
        accepted.whenComplete((done, failure) -> {
            if (failure != null) {
                counters.increment(SEND_FAILURES);
            }
        });
        return number;
    }

    /** Sends to one member; may wait for flow control. */
    void to(Member receiver, SessionMessage message) {
        channel.join().sendTo(receiver, MessageWriter.encode(0, message));
    }

    /** Sends to one member, on another thread. */
    void soonTo(Member receiver, SessionMessage message) {
        executor.execute(() -> to(receiver, message));
    }

    /** Sends an acknowledgement; may wait for flow control. */
    void acknowledge(Member member, long number) {
        counters.increment(ACKS_SENT);
        to(member, new Ack(number));
    }

    /** Sends an acknowledgement if that is possible at once; returns whether it was. */
    boolean tryAcknowledge(Member member, long number) {
        boolean isSent = channel.isDone() && channel.join().trySendTo(member, MessageWriter.encode(0, new Ack(number)));
        if (isSent) {
            counters.increment(ACKS_SENT);
        }
        return isSent;
    }
}
