package dev.tutti.stomp.internal.session;

import dev.tutti.internal.Logs;
import dev.tutti.stomp.StompSource;
import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.codec.AckMode;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.Frame;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.Headers;
import dev.tutti.stomp.internal.codec.StompFault;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A client's messages to sources, and its subscriptions to them. Belongs to the connection's thread; only {@link Feed#onMessage} is called
 * on others.
 */
final class Feeds {

    private static final Logger LOG = Logs.of(Feeds.class);

    /** Most messages of a subscription that wait for the client to read. Its source waits then. */
    private static final int WAITING_MAX = 16;

    private final StompConnection connection;
    private final EventLoop loop;
    private final BiConsumer<Subscription, Publication> deliver;
    private final Map<Subscription, Feed> feeds = new LinkedHashMap<>();
    private long waitingBytes;

    /** @param deliver writes a MESSAGE */
    Feeds(StompConnection connection, EventLoop loop, BiConsumer<Subscription, Publication> deliver) {
        this.connection = connection;
        this.loop = loop;
        this.deliver = deliver;
    }

    /** Returns the bytes of messages that wait for the client. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** Passes a SEND to a source. */
    static void send(StompSource source, Destination destination, Frame frame, Set<String> left) throws FrameException {
        if (frame.header("transaction") != null) {
            throw new FrameException(StompFault.SOURCE, "messages to '" + destination.text() + "' can't be sent in a transaction");
        }
        try {
            source.send(destination.text(), headers(frame, left), frame.body());
        } catch (RuntimeException e) {
            throw refusal(destination, e);
        }
    }

    private static Map<String, String> headers(Frame frame, Set<String> left) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int index = 0; index < frame.headers().count(); index++) {
            String name = frame.headers().name(index);
            if (!left.contains(name)) {
                headers.putIfAbsent(name, frame.headers().value(index));
            }
        }
        return headers;
    }

    private static FrameException refusal(Destination destination, RuntimeException e) {
        if (!(e instanceof IllegalArgumentException || e instanceof IllegalStateException)) {
            LOG.error("STOMP: the source of '{}' has failed", destination.text(), e);
        }
        return new FrameException(StompFault.SOURCE, destination.text() + ": " + e.getMessage());
    }

    /** Begins a subscription to a source. */
    void subscribe(StompSource source, Subscription subscription, Frame frame) throws FrameException {
        if (subscription.ackMode() != AckMode.AUTO || frame.header("resume") != null) {
            throw new FrameException(StompFault.SOURCE, "messages of '" + subscription.destination().text()
                    + "' are neither acknowledged nor kept: subscribe with ack:auto, and without resume");
        }
        Feed feed = new Feed(subscription);
        try {
            feed.origin = source.subscribe(subscription.destination().text(), headers(frame, Set.of("id", "destination", "ack", "receipt")), feed);
        } catch (RuntimeException e) {
            throw refusal(subscription.destination(), e);
        }
        feeds.put(subscription, feed);
    }

    /** Ends a subscription; returns false if it is not one to a source. */
    boolean end(Subscription subscription) {
        Feed feed = feeds.remove(subscription);
        if (feed != null) {
            feed.end();
        }
        return feed != null;
    }

    /** Continues, since there is room for more messages. */
    void onRoom() {
        if (waitingBytes > 0) {
            List.copyOf(feeds.values()).forEach(Feed::pump);
        }
    }

    private final class Feed implements StompSource.Receiver {

        private final Subscription subscription;
        private final String name;
        private final Semaphore room = new Semaphore(WAITING_MAX);
        private final ArrayDeque<Publication> waiting = new ArrayDeque<>();
        private dev.tutti.@Nullable Subscription origin;
        private long number;
        private boolean isPumping;
        private volatile boolean isEnded;

        Feed(Subscription subscription) {
            this.subscription = subscription;
            this.name = subscription.destination().group() + "." + subscription.number();
        }

        @Override
        public void onMessage(String destination, Map<String, String> headers, byte[] body) {
            room.acquireUninterruptibly();
            if (isEnded) {
                return;
            }
            try {
                loop.execute(() -> take(destination, headers, body));
            } catch (RejectedExecutionException e) {
                LOG.debug("STOMP: the server is closed");
            }
        }

        private void take(String destination, Map<String, String> texts, byte[] body) {
            if (isEnded) {
                return;
            }
            number++;
            Headers headers = new Headers();
            texts.forEach(headers::add);
            Publication next = new Publication(
                    Publication.INFO_GROUP, name, number, 0, new Content(new Destination(destination, List.of()), headers, body));
            waiting.add(next);
            waitingBytes += next.bytes();
            pump();
        }

        private void pump() {
            if (isPumping) {
                // Writing may make room, which is told in the middle of it.
                return;
            }
            isPumping = true;
            while (!waiting.isEmpty() && !connection.isClosing() && connection.hasRoomToReplay(waiting.peek().bytes())) {
                Publication next = waiting.remove();
                waitingBytes -= next.bytes();
                next.retain(1);
                deliver.accept(subscription, next);
                next.release();
                room.release();
            }
            connection.flushBatch();
            isPumping = false;
        }

        private void end() {
            isEnded = true;
            waiting.forEach(each -> waitingBytes -= each.bytes());
            waiting.clear();
            // Whoever waits for room finds that it has ended.
            room.release(Integer.MAX_VALUE / 2);
            dev.tutti.Subscription ended = origin;
            if (ended != null) {
                Thread.ofVirtual().name("tutti-stomp-source").start(ended::close);
            }
        }
    }
}
