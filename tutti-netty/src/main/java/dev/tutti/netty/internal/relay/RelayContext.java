package dev.tutti.netty.internal.relay;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Surroundings in which streams are opened: the loop, its sockets, threads that may block, settings. */
final class RelayContext {

    final EventLoop loop;
    final Supplier<SocketChannel> sockets;
    final Executor workers;
    final RelayOptions options;
    private final AtomicReference<@Nullable SslContext> tls = new AtomicReference<>();

    RelayContext(EventLoop loop, Supplier<SocketChannel> sockets, Executor workers, RelayOptions options) {
        this.loop = loop;
        this.sockets = sockets;
        this.workers = workers;
        this.options = options;
    }

    /** Returns the trust in the servers, from files that are read at first, and after each failure. On a worker. */
    SslContext tls() throws IOException {
        SslContext known = tls.get();
        if (known == null) {
            known = options.tls();
            tls.set(known);
        }
        return known;
    }

    /** Lets the files be read again: a stream could not be opened. */
    void onFailed() {
        tls.set(null);
    }
}
