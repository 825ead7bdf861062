package dev.tutti.grid.client;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.io.ByteArrayOutputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One connection with a mediator. */
final class Connection implements WebSocket.Listener {

    private final BiConsumer<Connection, ClientMessage> messages;
    private final Runnable onEnd;
    private final CompletableFuture<String> end = new CompletableFuture<>();
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
    private volatile long heardNanos = System.nanoTime();
    private volatile ClientMessage.@Nullable Welcome welcome;
    /** Time at which a message was begun to be sent that has not been taken yet; null if there is none. */
    private volatile @Nullable Long sendingNanos;

    /** @param messages gets the messages of the mediator, with this connection */
    Connection(BiConsumer<Connection, ClientMessage> messages, Runnable onEnd) {
        this.messages = messages;
        this.onEnd = onEnd;
    }

    /** Returns the time for which the mediator has not been heard; it says something every five seconds. */
    long silenceNanos() {
        return System.nanoTime() - heardNanos;
    }

    /** Sends a message on this connection; ends it if that fails. */
    CompletableFuture<?> send(byte[] message, WebSocket socket) {
        sendingNanos = System.nanoTime();
        return socket.sendBinary(ByteBuffer.wrap(message), true).whenComplete((_, failure) -> {
            sendingNanos = null;
            if (failure != null) {
                end("nothing can be sent: " + failure);
            }
        });
    }

    /** Returns the time for which the mediator has not taken a message. */
    long sendingNanos() {
        Long since = sendingNanos;
        return since == null ? 0 : System.nanoTime() - since;
    }

    void onWelcome(ClientMessage.Welcome first) {
        welcome = first;
    }

    /** Returns the first message of the mediator; null until it has come. */
    ClientMessage.@Nullable Welcome welcome() {
        return welcome;
    }

    boolean isOpen() {
        return !end.isDone();
    }

    /** Returns the reason for which it has ended. */
    String reason() {
        return end.getNow("");
    }

    void end(String reason) {
        end.complete(reason);
        onEnd.run();
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean isLast) {
        heardNanos = System.nanoTime();
        if (parts.size() + data.remaining() > ClientMessage.MEDIATOR_BYTES_MAX) {
            end("the mediator has sent more than " + ClientMessage.MEDIATOR_BYTES_MAX + " bytes at a time");
            socket.abort();
            return null;
        }
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        boolean isWhole = isLast && parts.size() == 0;
        if (!isWhole) {
            parts.writeBytes(bytes);
        }
        if (isLast) {
            byte[] whole = isWhole ? bytes : parts.toByteArray();
            parts.reset();
            try {
                ClientMessage.read(whole, message -> messages.accept(this, message));
            } catch (MalformedException e) {
                end("the mediator has sent what can't be read: " + e.getMessage());
                socket.abort();
                return null;
            }
        }
        socket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
        heardNanos = System.nanoTime();
        socket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
        end("the mediator has closed the connection" + (reason.isEmpty() ? "" : ": " + reason));
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        end("the connection is broken: " + error.getMessage());
    }
}
