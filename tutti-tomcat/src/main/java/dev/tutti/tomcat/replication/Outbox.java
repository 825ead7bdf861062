package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.ACKS_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.BYTES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.SEND_FAILURES;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.STALLS;
import static java.util.Objects.requireNonNull;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.Waiting;
import dev.tutti.tomcat.replication.codec.MessageWriter;
import dev.tutti.tomcat.replication.session.SessionMessage.Ack;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.holders.Link;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Numbers messages and hands them to the group. Thread-safe. */
final class Outbox implements Link {

    private static final int NUMBER_OFFSET = 1;

    private final Acknowledgement acknowledgement;
    private final boolean isInOrder;
    private final ReplicationCounters counters;
    private final Executor executor;
    private final BooleanSupplier isAlone;
    private final CompletableFuture<SessionChannel> channel = new CompletableFuture<>();
    private final SendRoom room = new SendRoom();
    private final Object sending = new Object();
    private final Acknowledgements acknowledgements;

    /** Messages from before the group was joined: its first view precedes the end of the join. */
    private final ArrayDeque<Consumer<SessionChannel>> early = new ArrayDeque<>();

    private @Nullable SessionChannel opened;
    private volatile long sent;

    /**
     * @param acknowledgements of messages to some members
     * @param isAlone returns whether there is no other member
     */
    Outbox(ReplicaContext context, Acknowledgements acknowledgements, BooleanSupplier isAlone) {
        this.acknowledgement = context.options().acknowledgement();
        this.isInOrder = context.options().isHeldBySome();
        this.counters = context.counters();
        this.executor = context.executor();
        this.acknowledgements = acknowledgements;
        this.isAlone = isAlone;
    }

    /** Opens the outbox: the group is joined. */
    void open(SessionChannel joined) {
        synchronized (sending) {
            opened = joined;
            early.forEach(message -> message.accept(joined));
            early.clear();
        }
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

    @Override
    public boolean hasRoom() {
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

    @Override
    public long toGroup(SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered) {
        if (isAlone.getAsBoolean()) {
            return 0;
        }
        byte[] bytes = MessageWriter.encode(0, message);
        long number = 0;
        synchronized (sending) {
            if (isNumbered && acknowledgement != Acknowledgement.NONE) {
                number = ++sent;
                putNumber(bytes, number);
            }
            // The end of the join may need the thread that sends.
            whenOpen(joined -> count(bytes, joined.send(bytes)));
        }
        counters.increment(counter);
        return number;
    }

    private void whenOpen(Consumer<SessionChannel> message) {
        SessionChannel present = opened;
        if (present == null) {
            early.add(message);
        } else {
            message.accept(present);
        }
    }

    private void count(byte[] bytes, CompletableFuture<Void> accepted) {
        room.onSent(bytes.length, accepted);
        counters.add(BYTES_SENT, bytes.length);
        accepted.whenComplete((done, failure) -> {
            if (failure != null) {
                counters.increment(SEND_FAILURES);
            }
        });
    }

    private static void putNumber(byte[] bytes, long number) {
        for (int index = 0; index < Long.BYTES; index++) {
            bytes[NUMBER_OFFSET + index] = (byte) (number >>> (8 * (Long.BYTES - 1 - index)));
        }
    }

    @Override
    public long toSome(UUID uid, Map<Member, SessionMessage> messages, ReplicationCounters.Counter counter, boolean isNumbered) {
        if (messages.isEmpty()) {
            return 0;
        }
        Map<SessionMessage, byte[]> encoded = new IdentityHashMap<>();
        messages.values().forEach(message -> encoded.computeIfAbsent(message, each -> MessageWriter.encode(0, each)));
        long number = 0;
        synchronized (sending) {
            if (isNumbered) {
                number = ++sent;
                for (byte[] bytes : encoded.values()) {
                    putNumber(bytes, number);
                }
                acknowledgements.onSent(number, uid, messages.keySet());
            }
            messages.forEach((receiver, message) -> post(receiver, requireNonNull(encoded.get(message), "all are encoded")));
        }
        counters.increment(counter);
        return number;
    }

    @Override
    public void post(Member receiver, SessionMessage message) {
        byte[] bytes = MessageWriter.encode(0, message);
        synchronized (sending) {
            post(receiver, bytes);
        }
    }

    private void post(Member receiver, byte[] bytes) {
        whenOpen(joined -> count(bytes, joined.post(receiver, bytes)));
    }

    /** Sends to one member; may wait for flow control. */
    void to(Member receiver, SessionMessage message) {
        channel.join().sendTo(receiver, MessageWriter.encode(0, message));
    }

    @Override
    public void soonTo(Member receiver, SessionMessage message) {
        executor.execute(() -> to(receiver, message));
    }

    /** Sends an acknowledgement; may wait for flow control. */
    void acknowledge(Member member, long number) {
        counters.increment(ACKS_SENT);
        to(member, new Ack(number));
    }

    /** Sends an acknowledgement if that is possible at once; returns whether it was. */
    boolean tryAcknowledge(Member member, long number) {
        if (isInOrder) {
            // After what a home has to say about the acknowledged message.
            counters.increment(ACKS_SENT);
            post(member, new Ack(number));
            return true;
        }
        boolean isSent = channel.isDone() && channel.join().trySendTo(member, MessageWriter.encode(0, new Ack(number)));
        if (isSent) {
            counters.increment(ACKS_SENT);
        }
        return isSent;
    }
}
