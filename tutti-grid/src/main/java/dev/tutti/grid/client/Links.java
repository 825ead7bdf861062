package dev.tutti.grid.client;

import dev.tutti.Threads;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of a client: the present one, and a spare one with another mediator, on which nothing is sent. When the present one has ended, the
 * spare one takes its place at once: to open one takes several round trips with TLS and a proxy, and all clients of a mediator that has crashed
 * would do so at the same time. Thread-safe, apart from {@link #next}.
 */
final class Links {

    private static final Logger LOG = LoggerFactory.getLogger(Links.class);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** Longest time until a mediator has taken a message. */
    static final Duration SEND_TIMEOUT = Duration.ofSeconds(15);
    private static final long SILENCE_NANOS = 15_000_000_000L;
    private static final long WATCH_NANOS = 1_000_000_000L;
    private static final long PAUSE_MIN_MILLIS = 50;
    private static final long PAUSE_MAX_MILLIS = 5_000;
    private static final long SPARE_MIN_NANOS = 1_000_000_000L;
    private static final long SPARE_MAX_NANOS = 60_000_000_000L;

    /** A connection with a mediator. */
    record Link(URI mediator, Connection connection, WebSocket socket) implements Outgoing.Way {

        @Override
        public boolean isOpen() {
            return connection.isOpen();
        }

        @Override
        public CompletableFuture<?> send(byte[] message) {
            return connection.send(message, socket);
        }

        void end(String reason) {
            connection.end(reason);
            socket.abort();
        }
    }

    private final List<URI> mediators;
    private final Supplier<String> token;
    private final HttpClient http;
    private final Threads threads;
    private final BiConsumer<Connection, ClientMessage> messages;
    private final Runnable onEnd;
    private final AtomicReference<@Nullable Link> spare = new AtomicReference<>();
    private int attempt;
    private long pauseMillis = PAUSE_MIN_MILLIS;
    private volatile String trouble = "no mediator has been connected yet";
    private volatile String spareTrouble = "";
    private volatile boolean isClosed;

    /**
     * @param token of the present moment; empty for none
     * @param messages gets what mediators say, also those of the spare connection
     * @param onEnd is called when a connection has ended
     */
    Links(List<URI> mediators, Supplier<String> token, HttpClient http, Threads threads, BiConsumer<Connection, ClientMessage> messages, Runnable onEnd) {
        this.mediators = mediators;
        this.token = token;
        this.http = http;
        this.threads = threads;
        this.messages = messages;
        this.onEnd = onEnd;
    }

    /** Returns the next connection: the spare one, or one that is opened, however long that takes; null if this is closed. */
    @Nullable Link next() throws InterruptedException {
        Link ready = spare.getAndSet(null);
        if (ready != null && ready.isOpen()) {
            attempt = mediators.indexOf(ready.mediator) + 1;
            return ready;
        }
        while (!isClosed) {
            if (attempt > 0) {
                // Clients of a mediator that has crashed come to the next one one after the other.
                Thread.sleep(ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis));
            }
            URI mediator = mediators.get(attempt % mediators.size());
            attempt++;
            Opened opened = open(mediator);
            if (opened.link != null) {
                pauseMillis = PAUSE_MIN_MILLIS;
                return opened.link;
            }
            onTrouble(mediator, opened.reason);
            if (attempt % mediators.size() == 0) {
                pauseMillis = Math.min(2 * pauseMillis, PAUSE_MAX_MILLIS);
            }
        }
        return null;
    }

    /** Notes, and logs if it is news, that there is no connection with a mediator. */
    void onTrouble(URI mediator, String reason) {
        String text = mediator + ": " + reason;
        if (!text.equals(trouble)) {
            LOG.warn("Grid: no connection with {}", text);
        }
        trouble = text;
    }

    /** Returns the reason for which there was no connection last. */
    String trouble() {
        return trouble;
    }

    /** Returns whether a spare connection is open. */
    boolean hasSpare() {
        Link known = spare.get();
        return known != null && known.isOpen();
    }

    // ------------------------------------------------------------------ opening

    /** A connection, or the reason for which there is none. */
    private record Opened(@Nullable Link link, String reason) {}

    private Opened open(URI mediator) throws InterruptedException {
        Connection connection = new Connection(messages, onEnd);
        CompletableFuture<WebSocket> opening;
        try {
            opening = start(mediator, connection);
        } catch (IllegalArgumentException e) {
            return new Opened(null, String.valueOf(e.getMessage()));
        }
        try {
            Link link = new Link(mediator, connection, opening.get(CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
            watch(link);
            return new Opened(link, "");
        } catch (ExecutionException e) {
            return new Opened(null, Refusals.reason(e.getCause() == null ? e : e.getCause()));
        } catch (TimeoutException e) {
            opening.whenComplete((late, failure) -> {
                if (late != null) {
                    late.abort();
                }
            });
            return new Opened(null, "it has not answered within " + CONNECT_TIMEOUT);
        }
    }

    private CompletableFuture<WebSocket> start(URI mediator, Connection connection) {
        WebSocket.Builder builder = http.newWebSocketBuilder().connectTimeout(CONNECT_TIMEOUT);
        String present = token.get();
        if (!present.isEmpty()) {
            builder.header("Authorization", "Bearer " + present);
        }
        return builder.buildAsync(mediator, connection);
    }

    private void watch(Link link) {
        threads.startAfter(WATCH_NANOS, "tutti-grid-client-watch", () -> {
            if (!link.isOpen()) {
                return;
            }
            if (link.connection.silenceNanos() > SILENCE_NANOS) {
                link.end("the mediator has not been heard for " + Duration.ofNanos(SILENCE_NANOS));
                return;
            }
            if (link.connection.sendingNanos() > SEND_TIMEOUT.toNanos()) {
                link.end("the mediator has taken nothing for " + SEND_TIMEOUT);
                return;
            }
            watch(link);
        });
    }

    // ------------------------------------------------------------------ the spare connection

    /** Keeps a spare connection open as long as the present one is, if there is another mediator. */
    void keepSpare(Link present) {
        if (mediators.stream().anyMatch(mediator -> !mediator.equals(present.mediator))) {
            keepSpareAfter(ThreadLocalRandom.current().nextLong(SPARE_MIN_NANOS / 2, SPARE_MIN_NANOS), present, mediators.indexOf(present.mediator) + 1);
        }
    }

    private void keepSpareAfter(long nanos, Link present, int next) {
        threads.startAfter(nanos, "tutti-grid-client-spare", () -> {
            try {
                keepSpare(nanos, present, next);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void keepSpare(long nanos, Link present, int next) throws InterruptedException {
        if (isClosed || !present.isOpen()) {
            return;
        }
        Link known = spare.get();
        if (known != null && known.isOpen() && !known.mediator.equals(present.mediator)) {
            keepSpareAfter(SPARE_MIN_NANOS, present, next);
            return;
        }
        URI mediator = mediators.get(next % mediators.size());
        if (mediator.equals(present.mediator)) {
            keepSpare(nanos, present, next + 1);
            return;
        }
        Opened opened = open(mediator);
        if (opened.link == null) {
            onSpareTrouble(mediator, opened.reason);
            keepSpareAfter(Math.min(2 * nanos, SPARE_MAX_NANOS), present, next + 1);
            return;
        }
        Link before = spare.getAndSet(opened.link);
        if (before != null) {
            before.end("another one took its place");
        }
        spareTrouble = "";
        if (isClosed) {
            close();
        }
        keepSpareAfter(SPARE_MIN_NANOS, present, next + 1);
    }

    private void onSpareTrouble(URI mediator, String reason) {
        String text = mediator + ": " + reason;
        if (!text.equals(spareTrouble)) {
            LOG.warn("Grid: no spare connection, which takes over when the present mediator is gone, with {}", text);
        }
        spareTrouble = text;
    }

    /** Ends the spare connection, and opens none any more. */
    void close() {
        isClosed = true;
        Link known = spare.getAndSet(null);
        if (known != null) {
            known.end("closed");
        }
    }
}
