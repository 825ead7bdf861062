package dev.tutti.stomp.client;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A client of members that serve STOMP. When its server is gone, it goes on at another one: at those that the server has named, and at
 * those that the program has. Thread-safe.
 *
 * <p>Messages that have no receipt are sent again to the next server: none is lost, and those that had arrived all the same come twice.
 * Subscriptions are resumed: each message comes once, and where some may be missing, {@link StompListener#onGap} is told.
 */
public final class StompClient implements AutoCloseable {

    private static final String INFO = "info";
    private static final byte[] NOTHING = {};
    private static final Set<String> OWN_HEADERS = Set.of("destination", "receipt", "content-length", "transaction", "id", "ack", "resume");
    private static final Duration CLOSE_MAX = Duration.ofSeconds(5);
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_FIRST_MILLIS = 100;
    private static final int DOUBLINGS_MAX = 6;

    /** Reasons of a member to end a connection that say nothing about the frame that it was about. */
    private static final Set<String> PASSING = Set.of("slow", "memory", "silent", "timeout", "clients", "unacked", "group", "closing", "transport");

    /** Reasons that are in a message, of which the member can't say which. */
    private static final Set<String> UNREADABLE = Set.of("malformed", "head-too-large", "body-too-large");

    private static final String RESUME = "resume";

    private final StompClientBuilder options;
    private final Random random = new Random();
    private final Addresses addresses;
    private final Outbox outbox;
    private final Deliveries deliveries;
    private final Thread thread;
    private final CountDownLatch connected = new CountDownLatch(1);
    private final AtomicBoolean isClosing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicLong numbers = new AtomicLong();
    private final LongAdder connections = new LongAdder();
    private final LongAdder confirmed = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder gaps = new LongAdder();
    private final Map<String, Subscribed> subscriptions = new LinkedHashMap<>();
    private volatile @Nullable Wire wire;
    private volatile @Nullable URI address;
    private volatile String failure = "no server has answered yet";

    private StompClient(StompClientBuilder options) {
        this.options = options;
        this.addresses = new Addresses(options.addresses, random);
        this.outbox = new Outbox(options.unconfirmedMax, options.unconfirmedBytes);
        this.deliveries = new Deliveries(options.name, options.queueBytes, () -> end("a listener has thrown an error"));
        this.thread = Thread.ofPlatform().name(options.name).unstarted(this::run);
    }

    /** Returns options of a client of these servers, such as {@code stomp://m1.example:61613}; {@code stomps} is TLS. */
    public static StompClientBuilder of(URI... servers) {
        return new StompClientBuilder(List.of(servers));
    }

    static StompClient open(StompClientBuilder options) throws InterruptedException {
        StompClient client = new StompClient(options);
        client.thread.start();
        if (!client.connected.await(2 * options.connectTimeout.toMillis() * options.addresses.size(), TimeUnit.MILLISECONDS)) {
            String reason = client.failure;
            client.close();
            throw new StompException("no server lets the client in; the last reason is: " + reason);
        }
        return client;
    }

    // ---------------------------------------------------------------------------------------------------- public

    /** Sends a text without further headers. */
    public CompletableFuture<Void> send(String destination, String text) {
        return send(destination, Map.of("content-type", "text/plain"), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends a message. It waits while too many are without a receipt, for {@link StompClientBuilder#sendTimeout}.
     *
     * @param headers further headers
     * @param body body, which is copied
     * @return completed when a server has sent the receipt: with a server of tutti, when all members have the message. It fails with a
     *     {@link StompException} if a server refuses the message, or the client is closed before
     * @throws StompException if there is no room in time, the thread was interrupted, or the client is closed
     */
    public CompletableFuture<Void> send(String destination, Map<String, String> headers, byte[] body) {
        String receipt = "m" + numbers.incrementAndGet();
        Map<String, String> all = checked(destination, headers);
        all.put("receipt", receipt);
        try {
            return outbox.add(receipt, Frames.encode("SEND", all, body), options.sendTimeout.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StompException("interrupted; the message to " + destination + " is not sent");
        }
    }

    /** Subscribes without further headers. */
    public StompSubscription subscribe(String destination, StompListener listener) {
        return subscribe(destination, Map.of(), listener);
    }

    /**
     * Subscribes, at each server that the client comes to. It does not wait for the server.
     *
     * @param destination destination; with a server of tutti {@code *} and {@code **} match segments
     * @param headers further headers, such as {@code selector}
     * @throws StompException if the client is closed
     */
    public StompSubscription subscribe(String destination, Map<String, String> headers, StompListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (isClosing.get()) {
            throw new StompException("the client is closed");
        }
        Map<String, String> others = checked(destination, headers);
        others.remove("destination");
        Subscribed subscribed = new Subscribed("s" + numbers.incrementAndGet(), destination, others, listener);
        synchronized (subscriptions) {
            subscriptions.put(subscribed.id(), subscribed);
            outbox.addToConnection(subscribed.frame(false));
        }
        return new StompSubscription(subscribed, () -> unsubscribe(subscribed));
    }

    private static Map<String, String> checked(String destination, Map<String, String> headers) {
        if (destination.isEmpty()) {
            throw new IllegalArgumentException("a destination is a text such as /topic/a, not an empty one");
        }
        Map<String, String> all = new LinkedHashMap<>();
        all.put("destination", destination);
        headers.forEach((name, value) -> {
            if (OWN_HEADERS.contains(name)) {
                throw new IllegalArgumentException("the header '" + name + "' is the client's own");
            }
            all.put(name, value);
        });
        return all;
    }

    private void unsubscribe(Subscribed subscribed) {
        subscribed.close();
        synchronized (subscriptions) {
            if (subscriptions.remove(subscribed.id()) != null) {
                outbox.addToConnection(Frames.encode("UNSUBSCRIBE", Map.of("id", subscribed.id()), NOTHING));
            }
        }
    }

    /** Returns the server that the client is connected to; null while there is none. */
    public @Nullable URI server() {
        return address;
    }

    /**
     * Returns the present numbers: {@code connections} that were made, {@code confirmed} and {@code unconfirmed} messages, {@code
     * unconfirmed-bytes}, {@code received} messages, {@code waiting-bytes} of those that wait for listeners, {@code gaps}.
     */
    public Map<String, Long> status() {
        return new TreeMap<>(Map.of(
                "connections", connections.sum(),
                "confirmed", confirmed.sum(),
                "unconfirmed", outbox.count(),
                "unconfirmed-bytes", outbox.bytes(),
                "received", received.sum(),
                "waiting-bytes", deliveries.waitingBytes(),
                "gaps", gaps.sum()));
    }

    /**
     * Waits up to five seconds for receipts, and ends the client. Messages without a receipt fail, and those that wait for listeners are
     * dropped. Idempotent.
     */
    @Override
    public void close() {
        try {
            if (!isClosing.get()) {
                outbox.awaitEmpty(address == null ? 0 : CLOSE_MAX.toNanos());
            }
            end("the client is closed");
            if (Thread.currentThread() != thread) {
                thread.join(CLOSE_MAX);
            }
        } catch (InterruptedException e) {
            end("the client is closed");
            Thread.currentThread().interrupt();
        }
    }

    private void end(String reason) {
        isClosing.set(true);
        closed.countDown();
        fail(outbox.close(new StompException(reason)), reason);
        deliveries.close();
        closeWire(wire);
    }

    // ---------------------------------------------------------------------------------------------------- connections

    private void run() {
        int failures = 0;
        try {
            while (!isClosing.get()) {
                URI next = addresses.next();
                long startNanos = System.nanoTime();
                boolean wasConnected = connect(next);
                if (wasConnected && System.nanoTime() - startNanos >= LASTING_NANOS) {
                    failures = 0;
                } else if (wasConnected || addresses.isRoundOver()) {
                    failures++;
                }
                if (wasConnected) {
                    addresses.beginWithout(next);
                }
                pause(wasConnected || addresses.isRoundOver() ? failures : 0);
            }
        } catch (InterruptedException e) {
            end("the thread of the client was interrupted");
        }
    }

    /** Waits after failures that are not the first one: between half of a time that doubles and all of it. */
    private void pause(int failures) throws InterruptedException {
        if (failures > 1) {
            long most = PAUSE_FIRST_MILLIS << Math.min(failures - 2, DOUBLINGS_MAX);
            closed.await(random.nextLong(most / 2, most + 1), TimeUnit.MILLISECONDS);
        }
    }

    /** Serves a connection to its end; returns false if there was none. */
    private boolean connect(URI next) throws InterruptedException {
        boolean wasConnected = false;
        try (Wire opened = Wire.open(next, options)) {
            wire = opened;
            if (isClosing.get()) {
                return false;
            }
            wasConnected = true;
            address = next;
            connections.increment();
            serve(opened);
        } catch (IOException e) {
            failure = String.valueOf(e.getMessage());
        } finally {
            wire = null;
            address = null;
        }
        return wasConnected;
    }

    private void serve(Wire opened) throws IOException, InterruptedException {
        boolean isTutti = opened.connected().headers().containsKey("endpoints");
        synchronized (subscriptions) {
            List<byte[]> frames = new ArrayList<>();
            if (isTutti) {
                addresses.learn(opened.connected().header("endpoints"));
                frames.add(Frames.encode("SUBSCRIBE", Map.of("id", INFO, "destination", "/" + INFO), NOTHING));
            }
            subscriptions.values().forEach(each -> frames.add(each.frame(isTutti)));
            outbox.begin(frames);
        }
        Thread writer = Thread.ofVirtual().name(options.name + "-writer").start(() -> write(opened));
        try {
            tellGaps(isTutti);
            connected.countDown();
            while (!isClosing.get()) {
                onFrame(opened.read());
            }
        } finally {
            outbox.endConnection();
            opened.close();
            writer.join();
        }
    }

    /** Tells of what no server can send again. */
    private void tellGaps(boolean isTutti) throws InterruptedException {
        for (Subscribed each : all()) {
            if (each.wasConfirmed() && !(isTutti && each.canResume())) {
                gap(each, "the connection was lost, and there was no message from which the subscription could be resumed");
            }
        }
    }

    private void write(Wire opened) {
        try {
            for (byte[] frame = outbox.next(opened.sendNanos()); frame != null; frame = outbox.next(opened.sendNanos())) {
                opened.write(frame);
            }
        } catch (IOException e) {
            // The thread that reads learns it from the end of the connection.
            closeWire(opened);
        } catch (InterruptedException e) {
            closeWire(opened);
        }
    }

    private static void closeWire(@Nullable Wire opened) {
        try {
            if (opened != null) {
                opened.close();
            }
        } catch (IOException e) {
            // It is of no use any more in any case.
            return;
        }
    }

    private List<Subscribed> all() {
        synchronized (subscriptions) {
            return List.copyOf(subscriptions.values());
        }
    }

    private @Nullable Subscribed find(String id) {
        synchronized (subscriptions) {
            return subscriptions.get(id);
        }
    }

    // ---------------------------------------------------------------------------------------------------- frames

    private void onFrame(Frame frame) throws IOException, InterruptedException {
        switch (frame.command()) {
            case "MESSAGE" -> onMessage(frame);
            case "RECEIPT" -> onReceipt(frame.header("receipt-id"));
            case "ERROR" -> {
                onError(frame);
                throw new IOException(Wire.reason(frame));
            }
            default -> throw new IOException("the server has sent the command '" + frame.command() + "', which STOMP 1.2 does not have");
        }
    }

    private void onMessage(Frame frame) throws InterruptedException {
        String id = frame.header("subscription");
        if (id.equals(INFO)) {
            addresses.learn(frame.header("endpoints"));
            return;
        }
        Subscribed subscribed = find(id);
        if (subscribed == null) {
            return;
        }
        received.increment();
        subscribed.onMessage(frame.header("message-id"));
        if (frame.isSkipped()) {
            gap(subscribed, "a message of " + frame.bodyBytes() + " bytes was left out; at most " + options.bodyBytes + " are taken");
            return;
        }
        StompMessage message = new StompMessage(frame.header("destination"), frame.headers(), frame.body());
        tell(subscribed, frame.bodyBytes(), listener -> listener.onMessage(message));
    }

    private interface Telling {
        void tell(StompListener listener);
    }

    private void tell(Subscribed subscribed, long bytes, Telling telling) throws InterruptedException {
        deliveries.add(bytes, () -> {
            if (!subscribed.isClosed()) {
                telling.tell(subscribed.listener());
            }
        });
    }

    private void gap(Subscribed subscribed, String reason) throws InterruptedException {
        gaps.increment();
        tell(subscribed, 0, listener -> listener.onGap(reason));
    }

    private void onReceipt(String id) {
        Subscribed subscribed = find(id);
        if (subscribed != null) {
            subscribed.onConfirmed();
            return;
        }
        CompletableFuture<Void> receipt = outbox.confirm(id);
        if (receipt != null) {
            confirmed.increment();
            // What the program does then is not for the thread that reads.
            receipt.completeAsync(() -> null, Thread.ofVirtual()::start);
        }
    }

    /** Notes what an ERROR says about the frame that it names, or about all of a connection, which ends then. */
    private void onError(Frame error) throws InterruptedException {
        if (!error.header("endpoints").isEmpty()) {
            addresses.learn(error.header("endpoints"));
        }
        String reason = Wire.reason(error);
        String fault = error.header("fault");
        String id = error.header("receipt-id");
        if (fault.equals(RESUME)) {
            Subscribed one = find(id);
            for (Subscribed each : one == null ? all() : List.of(one)) {
                each.restart();
                gap(each, reason);
            }
        } else if (UNREADABLE.contains(fault) && id.isEmpty()) {
            fail(outbox.removeWritten(), reason);
        } else if (!PASSING.contains(fault) && !id.isEmpty()) {
            refuse(id, reason);
        }
    }

    private void refuse(String id, String reason) throws InterruptedException {
        Subscribed subscribed = find(id);
        if (subscribed != null) {
            synchronized (subscriptions) {
                subscriptions.remove(id);
            }
            tell(subscribed, 0, listener -> listener.onRefused(reason));
            return;
        }
        CompletableFuture<Void> receipt = outbox.confirm(id);
        if (receipt != null) {
            fail(List.of(receipt), reason);
        }
    }

    private static void fail(List<CompletableFuture<Void>> receipts, String reason) {
        if (!receipts.isEmpty()) {
            Thread.ofVirtual().start(() -> receipts.forEach(each -> each.completeExceptionally(new StompException(reason))));
        }
    }
}
