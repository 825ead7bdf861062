package dev.tutti.console.internal.alerts;

import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;

/**
 * An address that documents are posted to as JSON, one after another, on a thread of its own. A document that the other side does
 * not take is sent again with growing pauses until its time is over; then it is dropped, counted and logged. From any thread.
 */
public final class Webhook implements AutoCloseable {

    private static final Logger LOG = Logs.of(Webhook.class);

    /** Most documents that wait; further ones are dropped and counted. */
    static final int WAITING_MAX = 256;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS_MAX = 30_000;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int REQUEST_TIMED_OUT = 408;

    /** A document that waits, and the end of its time. */
    private record Posted(String json, long endNanos) {}

    private final URI address;
    private final String token;
    private final long timeoutNanos;
    private final long pauseMillis;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).followRedirects(HttpClient.Redirect.NEVER).build();
    private final BlockingQueue<Posted> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder sent = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final Thread thread;

    /**
     * @param token sent as {@code Authorization: Bearer}; empty for none
     * @param timeoutNanos time for which a document is sent again
     */
    public Webhook(URI address, String token, long timeoutNanos) {
        this(address, token, timeoutNanos, 1_000);
    }

    /** @param pauseMillis first pause before a document is sent again */
    Webhook(URI address, String token, long timeoutNanos, long pauseMillis) {
        this.address = address;
        this.token = token;
        this.timeoutNanos = timeoutNanos;
        this.pauseMillis = pauseMillis;
        this.thread = Thread.ofVirtual().name("tutti-console-webhook").start(this::run);
    }

    /**
     * Returns the address in a text.
     *
     * @throws IllegalArgumentException if it is none that documents may be posted to; the message does not have the text, which may contain a
     *     secret
     */
    public static URI address(String text, boolean hasToken) {
        URI address;
        try {
            address = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("the address can't be read: " + e.getReason() + " at character " + e.getIndex());
        }
        String scheme = address.getScheme();
        String host = address.getHost();
        if (host == null || !("https".equals(scheme) || "http".equals(scheme))) {
            throw new IllegalArgumentException("the address is not of the form https://host/path");
        }
        boolean isHere = host.equals("localhost") || host.equals("127.0.0.1") || host.equals("[::1]");
        if (hasToken && scheme.equals("http") && !isHere) {
            throw new IllegalArgumentException("a token is sent to https only, not to http at " + host);
        }
        return address;
    }

    /** Posts a document, if there is room. Never waits. */
    public void post(Map<String, ?> document) {
        if (!waiting.offer(new Posted(Json.write(document), System.nanoTime() + timeoutNanos))) {
            dropped.increment();
        }
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                Posted next = waiting.poll(1, TimeUnit.SECONDS);
                if (next != null) {
                    send(next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(Posted posted) throws InterruptedException {
        long pause = pauseMillis;
        while (true) {
            String why;
            try {
                int status = client.send(request(posted.json), HttpResponse.BodyHandlers.discarding()).statusCode();
                if (status >= 200 && status < 300) {
                    sent.increment();
                    return;
                }
                why = "status " + status;
                if (status < 500 && status != TOO_MANY_REQUESTS && status != REQUEST_TIMED_OUT) {
                    fail(why);
                    return;
                }
            } catch (IOException e) {
                why = e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ": " + e.getMessage());
            }
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(posted.endNanos - System.nanoTime());
            if (leftMillis <= pause) {
                fail(why);
                return;
            }
            if (closed.await(pause, TimeUnit.MILLISECONDS)) {
                return;
            }
            retries.increment();
            pause = Math.min(PAUSE_MILLIS_MAX, pause * 2);
        }
    }

    private HttpRequest request(String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .timeout(REQUEST_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        return (token.isEmpty() ? request : request.header("Authorization", "Bearer " + token)).build();
    }

    private void fail(String why) {
        failed.increment();
        LOG.warn("an alert was not taken by console.webhook at {}: {}", address.getHost(), why);
    }

    public long sent() {
        return sent.sum();
    }

    /** Returns the number of documents that the other side has not taken in time. */
    public long failed() {
        return failed.sum();
    }

    /** Returns the number of documents for which there was no room. */
    public long dropped() {
        return dropped.sum();
    }

    public long retries() {
        return retries.sum();
    }

    /** Ends the thread; documents that wait are not sent. Idempotent. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        client.shutdownNow();
    }
}
