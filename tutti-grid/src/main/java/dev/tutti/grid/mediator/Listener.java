package dev.tutti.grid.mediator;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.grid.internal.page.PageContent;
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
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The listening socket of a mediator, its threads and its connections. */
final class Listener implements AutoCloseable {

    private static final int ACCEPTS_WAITING_MAX = 1_024;
    private static final int REQUEST_LINE_MAX = 8_192;
    private static final int HEADERS_BYTES_MAX = 16_384;
    private static final int THREADS_MAX = 4;
    private static final int HANDSHAKES_WAITING_MAX = 4_096;
    private static final int CLOSE_SECONDS_MAX = 2;
    private static final long HANDSHAKE_SECONDS_MAX = 10;

    /** Connections of one address that are not clients yet. */
    private static final int HOST_CONNECTIONS_MAX = 1_000;

    private final InetAddress address;
    private final @Nullable ServerTls tls;
    private final Places places;
    private final Service service;
    private final Io io = Io.choose(TransportSettings.Io.AUTO);
    private final EventLoopGroup loops;
    private final ThreadPoolExecutor arithmetic;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel channel;

    /** @param numbers returns the numbers of the mediator */
    Listener(MediatorBuilder options, MediatorCounters counters, Supplier<Map<String, Long>> numbers) {
        this.address = options.address();
        this.tls = tls(options);
        Doorkeeper doorkeeper = new Doorkeeper(
                options.grid().name(), tokens(options), tls != null && tls.asksForCertificates(), new Hosts(options.names()));
        checkSafety(options, doorkeeper);
        this.places = new Places(options.connectionsMax(), HOST_CONNECTIONS_MAX);
        this.service = new Service(options.settings(), new PageContent(options.grid()), doorkeeper, counters, numbers);
        int threads = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, THREADS_MAX);
        this.loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("tutti-mediator", true), io.handlers());
        this.arithmetic = new ThreadPoolExecutor(
                threads,
                threads,
                CLOSE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(HANDSHAKES_WAITING_MAX),
                new DefaultThreadFactory("tutti-mediator-tls", true));
        arithmetic.allowCoreThreadTimeOut(true);
        try {
            this.channel = bind(options.port());
        } catch (RuntimeException e) {
            closeThreads();
            throw e;
        }
        loops.next().scheduleAtFixedRate(service::onTime, 1, 1, TimeUnit.SECONDS);
    }

    private static @Nullable Tokens tokens(MediatorBuilder options) {
        Path file = options.tokens();
        try {
            return file == null ? null : new Tokens(file, "grid");
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the tokens of the mediator can't be used: " + e.getMessage(), e);
        }
    }

    private static @Nullable ServerTls tls(MediatorBuilder options) {
        Path certificate = options.certificate();
        Path key = options.key();
        if (certificate == null || key == null) {
            if (options.authority() != null) {
                throw new IllegalArgumentException("authorities of clients' certificates need TLS: set the mediator's certificate and key, too");
            }
            return null;
        }
        try {
            return new ServerTls("mediator", certificate, key, options.authority(), ClientAuth.OPTIONAL);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificate and key of the mediator can't be used: " + e.getMessage(), e);
        }
    }

    private void checkSafety(MediatorBuilder options, Doorkeeper doorkeeper) {
        if (address.isLoopbackAddress() || options.isInsecure()) {
            return;
        }
        String name = HostPort.hostOf(address) + " is not loopback";
        if (doorkeeper.isOpen()) {
            throw new IllegalArgumentException(name + ", and everybody could use the mediator. Set tokens, or authorities of certificates; or"
                    + " say that it is insecure");
        }
        if (tls == null) {
            throw new IllegalArgumentException(name + ", and tokens could be read on the way. Set a certificate and its key; or, where something"
                    + " in front of the mediator has TLS, say that it is insecure");
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
                        prepare(accepted);
                    }
                });
        ChannelFuture bound = bootstrap.bind(address, port).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IllegalStateException(new HostPort(HostPort.hostOf(address), port) + " can't be bound: " + bound.cause().getMessage()
                    + "; another port, or 0 for any free one, would do", bound.cause());
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
        ChannelPipeline pipeline = accepted.pipeline();
        if (tls != null) {
            SslHandler handler = tls.handler(accepted.alloc(), arithmetic);
            handler.setHandshakeTimeout(HANDSHAKE_SECONDS_MAX, TimeUnit.SECONDS);
            pipeline.addLast(handler);
        }
        Intake intake = new Intake(service.receiving(), service.counters(), accepted);
        pipeline.addLast(
                intake,
                new HttpServerCodec(new HttpDecoderConfig()
                        .setMaxInitialLineLength(REQUEST_LINE_MAX)
                        .setMaxHeaderSize(HEADERS_BYTES_MAX)),
                new HttpObjectAggregator(Service.BODY_BYTES_MAX, true),
                new Front(service, place, intake));
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    InetAddress address() {
        return address;
    }

    boolean isTls() {
        return tls != null;
    }

    Map<String, Long> numbers() {
        Map<String, Long> numbers = new TreeMap<>(service.sizes());
        numbers.putAll(Map.of(
                "connections", (long) places.taken(), "connections-evicted", places.evicted(), "connections-refused", places.refused()));
        return numbers;
    }

    @Override
    public void close() {
        service.onClosing();
        channel.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        connections.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        closeThreads();
    }

    private void closeThreads() {
        loops.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS).awaitUninterruptibly(2L * CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        arithmetic.shutdown();
    }
}
