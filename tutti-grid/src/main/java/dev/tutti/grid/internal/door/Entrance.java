package dev.tutti.grid.internal.door;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.grid.ServerOptions;
import dev.tutti.internal.door.Places;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.reload.ServerTls;
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
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A listening socket, its threads and its connections, with TLS and places. */
public final class Entrance implements AutoCloseable {

    /** Receives connections that have found a place, and adds the handlers of HTTP. On the connection's loop. */
    public interface Host {
        void receive(Channel accepted, Place place);
    }

    private static final int ACCEPTS_WAITING_MAX = 1_024;
    private static final int REQUEST_LINE_MAX = 8_192;
    private static final int HEADERS_BYTES_MAX = 16_384;
    private static final int HANDSHAKES_WAITING_MAX = 4_096;
    private static final int CLOSE_SECONDS_MAX = 2;
    private static final long HANDSHAKE_SECONDS_MAX = 10;

    private final InetAddress address;
    private final @Nullable ServerTls tls;
    private final Places places;
    private final Host host;
    private final Io io = Io.choose(TransportSettings.Io.AUTO);
    private final EventLoopGroup loops;
    private final ThreadPoolExecutor arithmetic;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel channel;

    /**
     * Listens, and accepts connections.
     *
     * @param server name of the threads
     * @param threads of connections; there are as many for handshakes
     * @throws IllegalStateException if the address can't be bound
     */
    public Entrance(String server, Doorkeeper doorkeeper, ServerOptions options, Places places, int threads, Host host) {
        this.address = options.address();
        this.tls = doorkeeper.tls();
        this.places = places;
        this.host = host;
        this.loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("tutti-" + server, true), io.handlers());
        this.arithmetic = new ThreadPoolExecutor(
                threads,
                threads,
                CLOSE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(HANDSHAKES_WAITING_MAX),
                new DefaultThreadFactory("tutti-" + server + "-tls", true));
        arithmetic.allowCoreThreadTimeOut(true);
        try {
            this.channel = bind(options.port());
        } catch (RuntimeException e) {
            closeThreads();
            throw e;
        }
    }

    private Channel bind(int port) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channelFactory(io::newServer)
                .option(ChannelOption.SO_BACKLOG, ACCEPTS_WAITING_MAX)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        receive(accepted);
                    }
                });
        ChannelFuture bound = bootstrap.bind(address, port).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IllegalStateException(new HostPort(HostPort.hostOf(address), port) + " can't be bound: " + bound.cause().getMessage()
                    + "; another port, or 0 for any free one, would do", bound.cause());
        }
        return bound.channel();
    }

    private void receive(Channel accepted) {
        Place place = places.enter(accepted.remoteAddress(), accepted::close);
        if (place == null) {
            accepted.close();
            return;
        }
        accepted.closeFuture().addListener(_ -> place.leave());
        connections.add(accepted);
        if (tls != null) {
            SslHandler handler = tls.handler(accepted.alloc(), arithmetic);
            handler.setHandshakeTimeout(HANDSHAKE_SECONDS_MAX, TimeUnit.SECONDS);
            accepted.pipeline().addLast(handler);
        }
        host.receive(accepted, place);
    }

    /** Returns a codec with limits of lines and headers. */
    public static HttpServerCodec codec() {
        return new HttpServerCodec(new HttpDecoderConfig().setMaxInitialLineLength(REQUEST_LINE_MAX).setMaxHeaderSize(HEADERS_BYTES_MAX));
    }

    /** Runs a task every second, on a loop. */
    public void everySecond(Runnable task) {
        loops.next().scheduleAtFixedRate(task, 1, 1, TimeUnit.SECONDS);
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Returns the address of a path, for clients on this host if it listens on all addresses. */
    public URI url(String path) {
        String name = address.isAnyLocalAddress() ? "localhost" : HostPort.hostOf(address);
        return URI.create((tls == null ? "http://" : "https://") + new HostPort(name, port()) + path);
    }

    /** Ends the server and its connections. Blocks for some seconds at most. Idempotent. */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        connections.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        closeThreads();
    }

    private void closeThreads() {
        loops.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS).awaitUninterruptibly(2L * CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        arithmetic.shutdown();
    }
}
