package dev.tutti.stomp.internal.session;

import dev.tutti.SendException;
import dev.tutti.stomp.internal.broker.ServedGroup;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompFault;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Contents on their way from a client to groups, in the client's order. One is offered to its group at a time; while
 * the group has no room, the client is not read. Belongs to the connection's thread.
 */
final class Outbox {

    private static final long RETRY_MILLIS = 20;

    /** The client that the contents come from. */
    interface Source {

        /** A group has no room: the client is not to be read. */
        void onBlocked();

        /** Groups have taken everything. */
        void onSent();

        void onRefused(FrameException reason);
    }

    private record Outgoing(ServedGroup group, List<Content> contents, @Nullable Runnable onHeld) {}

    private final EventLoop loop;
    private final StompCounters counters;
    private final Source source;
    private final ArrayDeque<Outgoing> waiting = new ArrayDeque<>();
    private final Set<ServedGroup> groups = new LinkedHashSet<>();
    private boolean isSending;
    private boolean isEnded;

    Outbox(EventLoop loop, StompCounters counters, Source source) {
        this.loop = loop;
        this.counters = counters;
        this.source = source;
    }

    /** Returns the groups that contents were added for. */
    Set<ServedGroup> groups() {
        return groups;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** @param onHeld called on any thread when all members have the contents; null if nobody asks */
    void add(ServedGroup group, List<Content> contents, @Nullable Runnable onHeld) {
        groups.add(group);
        waiting.add(new Outgoing(group, contents, onHeld));
    }

    /** Offers the waiting contents to their groups. */
    void send() {
        while (!isSending && !waiting.isEmpty()) {
            Outgoing next = waiting.element();
            CompletableFuture<Void> accepted = next.group().publish(next.contents(), next.onHeld());
            isSending = true;
            if (accepted.isDone()) {
                onAccepted(accepted, next);
            } else {
                counters.increment(Counter.PAUSES);
                accepted.whenComplete((_, _) -> loop.execute(() -> {
                    onAccepted(accepted, next);
                    sendRest();
                }));
            }
        }
        if (isSending) {
            source.onBlocked();
        }
    }

    private void sendRest() {
        send();
        if (!isSending) {
            source.onSent();
        }
    }

    private void onAccepted(CompletableFuture<Void> accepted, Outgoing sent) {
        if (accepted.isCompletedExceptionally()) {
            Throwable cause = accepted.exceptionNow();
            if (cause instanceof SendException e && e.reason() == SendException.Reason.QUEUE_FULL) {
                counters.increment(Counter.PAUSES);
                loop.schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
                return;
            }
            source.onRefused(new FrameException(StompFault.GROUP, "not sent: " + cause.getMessage()));
            return;
        }
        counters.add(Counter.PUBLISHED, sent.contents().size());
        isSending = false;
        waiting.poll();
    }

    private void retry() {
        isSending = false;
        if (!isEnded) {
            sendRest();
        }
    }

    /** Drops the waiting contents. */
    void end() {
        isEnded = true;
        waiting.clear();
    }
}
