package dev.tutti.grid.bridges.internal.door;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.grid.bridges.ServerOptions;
import dev.tutti.internal.door.Hosts;
import dev.tutti.internal.door.Places;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A listening socket, its thread, and its connections. Requests are answered on threads of their own. */
public final class Door implements AutoCloseable {

    private static final int CONNECTIONS_MAX = 1_000;
    private static final int HOST_CONNECTIONS_MAX = 250;
    private static final int REQUEST_LINE_MAX = 8_192;
    private static final int HEADERS_BYTES_MAX = 16_384;
    private static final int CLOSE_SECONDS_MAX = 2;
    private static final long HANDSHAKE_SECONDS_MAX = 10;

    private final ServerOptions options;
    private final @Nullable ServerTls tls;
    private final Desk desk;
    private final Places places = new Places(CONNECTIONS_MAX, HOST_CONNECTIONS_MAX);
    private final Io io = Io.choose(TransportSettings.Io.AUTO);
    private final EventLoopGroup loop;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel channel;

    /**
     * Listens.
     *
     * @param name the server, for people
     * @param service answers requests, on threads that may wait
     * @throws IllegalArgumentException if it would not be safe, or a file can't be used; the message says what would be right
     * @throws IllegalStateException if the address can't be bound
     */
    public Door(String name, ServerOptions options, Function<Call, Reply> service) {
        this.options = options;
        this.tls = tls(name, options);
        this.desk = new Desk(name, tokens(name, options), tls != null && tls.asksForCertificates(), new Hosts(options.names()), service);
        checkSafety(name);
        this.loop = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("tutti-" + name, true), io.handlers());
        try {
            this.channel = bind();
        } catch (RuntimeException e) {
            closeLoop();
            throw e;
        }
    }

    private static @Nullable Tokens tokens(String name, ServerOptions options) {
        Path file = options.tokens();
        try {
            return file == null ? null : new Tokens(file, "name of bridges");
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the tokens of the " + name + " can't be used: " + e.getMessage(), e);
        }
    }

    private static @Nullable ServerTls tls(String name, ServerOptions options) {
        Path certificate = options.certificate();
        Path key = options.key();
        if (certificate == null || key == null) {
            if (options.authority() != null) {
                throw new IllegalArgumentException("authorities of clients' certificates need TLS: set a certificate and its key, too");
            }
            return null;
        }
        try {
            return new ServerTls(name, certificate, key, options.authority(), ClientAuth.OPTIONAL);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificate and key of the " + name + " can't be used: " + e.getMessage(), e);
        }
    }

    private void checkSafety(String name) {
        if (options.address().isLoopbackAddress() || options.isInsecure()) {
            return;
        }
        String address = HostPort.hostOf(options.address()) + " is not loopback";
        if (desk.isOpen()) {
            throw new IllegalArgumentException(address + ", and everybody could use the " + name + ". Set tokens, or authorities of certificates; or"
                    + " say that it is insecure");
        }
        if (tls == null) {
            throw new IllegalArgumentException(address + ", and tokens could be read on the way. Set a certificate and its key; or, where something"
                    + " in front of the " + name + " has TLS, say that it is insecure");
        }
    }

    private Channel bind() {
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channelFactory(io::newServer)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        prepare(accepted);
                    }
                })
                .bind(options.address(), options.port())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IllegalStateException(new HostPort(HostPort.hostOf(options.address()), options.port()) + " can't be bound: "
                    + bound.cause().getMessage() + "; another port, or 0 for any free one, would do", bound.cause());
        }
        return bound.channel();
    }

    private void prepare(Channel accepted) {
        Place place = places.enter(accepted.remoteAddress(), accepted::close);
        if (place == null) {
            accepted.close();
            return;
        }
        accepted.closeFuture().addListener(_ -> place.leave());
        connections.add(accepted);
        if (tls != null) {
            SslHandler handler = tls.handler(accepted.alloc(), task -> Thread.ofVirtual().start(task));
            handler.setHandshakeTimeout(HANDSHAKE_SECONDS_MAX, TimeUnit.SECONDS);
            accepted.pipeline().addLast(handler);
        }
        accepted.pipeline().addLast(
                new HttpServerCodec(new HttpDecoderConfig().setMaxInitialLineLength(REQUEST_LINE_MAX).setMaxHeaderSize(HEADERS_BYTES_MAX)),
                new Visit(desk, place));
    }

    /** Returns the address of a path. */
    public URI url(String path) {
        int port = ((InetSocketAddress) channel.localAddress()).getPort();
        return URI.create((tls == null ? "http" : "https") + "://" + new HostPort(HostPort.hostOf(options.address()), port) + path);
    }

    /** Returns the number of requests. */
    public long requests() {
        return desk.requests();
    }

    /** Returns the number of requests that were not given to the bridge: without a valid token, malformed, too large, or too many at a time. */
    public long refused() {
        return desk.refused();
    }

    /** Ends the server and its connections. Idempotent. */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        connections.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        closeLoop();
    }

    private void closeLoop() {
        loop.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS).awaitUninterruptibly(2L * CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
}
