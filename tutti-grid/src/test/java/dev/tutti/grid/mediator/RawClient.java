package dev.tutti.grid.mediator;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.grid.internal.wire.Identity;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A client that sends whatever a test wants, and reads only when it is told to. */
final class RawClient implements WebSocket.Listener, AutoCloseable {

    private final HttpClient http = HttpClient.newHttpClient();
    private final Queue<ClientMessage> messages = new ConcurrentLinkedQueue<>();
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final String secret = UUID.randomUUID().toString();
    private final WebSocket socket;

    RawClient(URI url) {
        socket = http.newWebSocketBuilder()
                .buildAsync(URI.create(url.toString().replaceFirst("http", "ws") + "/v1/grid"), this)
                .join();
        send(new ClientMessage.Identify(secret));
    }

    /** Returns an identity of this client. */
    String id(int number) {
        return Identity.of("raw", secret) + "-" + number;
    }

    static Entry entry(String id, Entry.Kind kind, long number, String topic) {
        return new Entry(id, kind, "raw", "", "", "", List.of(Filter.topic(topic)), "", "", -1, number, Map.of());
    }

    RawClient reading() {
        socket.request(Long.MAX_VALUE);
        return this;
    }

    void send(ClientMessage... all) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ClientMessage each : all) {
            bytes.writeBytes(ClientMessage.encode(each));
        }
        socket.sendBinary(ByteBuffer.wrap(bytes.toByteArray()), true).join();
    }

    /** Begins a message without its end. */
    void sendPart(int bytes) {
        socket.sendBinary(ByteBuffer.wrap(new byte[bytes]), false).join();
    }

    void register(String id, Entry.Kind kind, long number, String topic) {
        send(new ClientMessage.Register(entry(id, kind, number, topic), 0));
    }

    <T extends ClientMessage> Stream<T> got(Class<T> type) {
        return messages.stream().filter(type::isInstance).map(type::cast);
    }

    /** Returns the number of measurements that have come. */
    long told() {
        return got(ClientMessage.Deliver.class).count();
    }

    /** Returns the number of measurements that it was told are missing. */
    long missing() {
        return got(ClientMessage.Missing.class).mapToLong(each -> each.gap().count()).sum();
    }

    CompletableFuture<Integer> closed() {
        return closed;
    }

    @Override
    public void onOpen(WebSocket opened) {
        // Nothing is read before reading().
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean isLast) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        parts.writeBytes(bytes);
        if (isLast) {
            ClientMessage.read(parts.toByteArray(), messages::add);
            parts.reset();
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        closed.complete(status);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete(-1);
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
    }
}
