package dev.tutti.rendezvous.internal.http;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.door.ListenAddress;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.internal.door.Places;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.reload.Admission;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import dev.tutti.rendezvous.internal.registry.Quotas;
import dev.tutti.rendezvous.internal.registry.Registry;
import dev.tutti.rendezvous.internal.relay.PartSizes;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
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
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The listening socket of a server, its threads and its connections. */
public final class HttpListener implements AutoCloseable {

    private static final int ACCEPTS_WAITING_MAX = 4_096;
    private static final int REQUEST_LINE_MAX = 2_048;
    private static final int HEADERS_BYTES_MAX = 8_192;
    private static final int BODY_BYTES_MAX = 1_024;

    private static final int THREADS_MAX = 4;
    private static final int HANDSHAKES_WAITING_MAX = 4_096;
    private static final int TICKET_BYTES = 16;
    private static final int CLOSE_SECONDS_MAX = 2;

    private final Settings settings;
    private final InetAddress address;
    private final @Nullable ServerTls tls;
    private final Places places;
    private final Service service;
    private final Io io = Io.choose(TransportSettings.Io.AUTO);
    private final EventLoopGroup loops;
    private final ThreadPoolExecutor arithmetic;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel channel;

    /**
     * Binds, and accepts connections.
     *
     * @throws SettingException if the address can't be bound, or not safely, or a file can't be used
     */
    public HttpListener(Settings settings) {
        this.settings = settings;
        this.address = ListenAddress.of(settings, RendezvousServerSettings.ADDRESS);
        this.tls = tls(settings);
        Gatekeeper gatekeeper = new Gatekeeper(new Admission(tokens(settings), tls));
        checkSafety(gatekeeper);
        this.places = new Places(
                settings.get(RendezvousServerSettings.CONNECTIONS_MAX), settings.get(RendezvousServerSettings.HOST_CONNECTIONS_MAX));
        // Versions of an earlier run were given out less than once in a millisecond.
        Registry registry = new Registry(quotas(settings), System.currentTimeMillis(), new Tickets()::next);
        this.service = new Service(settings, registry, gatekeeper, places);
        int threads = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, THREADS_MAX);
        this.loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("tutti-rendezvous", true), io.handlers());
        this.arithmetic = new ThreadPoolExecutor(
                threads,
                threads,
                CLOSE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(HANDSHAKES_WAITING_MAX),
                new DefaultThreadFactory("tutti-rendezvous-tls", true));
        arithmetic.allowCoreThreadTimeOut(true);
        try {
            this.channel = bind();
        } catch (RuntimeException e) {
            closeThreads();
            throw e;
        }
        loops.next().scheduleAtFixedRate(() -> service.onTime(System.nanoTime()), 1, 1, TimeUnit.SECONDS);
    }

    private static final class Tickets {

        private final SecureRandom random = new SecureRandom();

        String next() {
            byte[] bytes = new byte[TICKET_BYTES];
            random.nextBytes(bytes);
            return HexFormat.of().formatHex(bytes);
        }
    }

    private static Quotas quotas(Settings settings) {
        return new Quotas(
                settings.get(RendezvousServerSettings.CLUSTERS_MAX),
                settings.get(RendezvousServerSettings.NODES_MAX),
                settings.get(RendezvousServerSettings.CLUSTER_NODES_MAX),
                settings.get(RendezvousServerSettings.HOST_NODES_MAX),
                settings.get(RendezvousServerSettings.RELAYED_MAX),
                settings.get(RendezvousServerSettings.CLUSTER_RELAYED_MAX));
    }

    private static @Nullable Tokens tokens(Settings settings) {
        String file = settings.get(RendezvousServerSettings.TOKENS_FILE);
        try {
            return file.isEmpty() ? null : new Tokens(Path.of(file), "cluster");
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SettingException("rendezvous-server.tokens-file: " + e.getMessage(), e);
        }
    }

    /**
     * Returns null if no certificate is set.
     *
     * @throws SettingException that names what is wrong
     */
    private static @Nullable ServerTls tls(Settings settings) {
        String certificate = settings.get(RendezvousServerSettings.TLS_CERTIFICATE);
        String key = settings.get(RendezvousServerSettings.TLS_KEY);
        String authority = settings.get(RendezvousServerSettings.TLS_AUTHORITY);
        if (certificate.isEmpty() && key.isEmpty() && authority.isEmpty()) {
            return null;
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new SettingException("rendezvous-server.tls-certificate and rendezvous-server.tls-key are set together; one is missing");
        }
        try {
            return new ServerTls(
                    "rendezvous server",
                    Path.of(certificate),
                    Path.of(key),
                    authority.isEmpty() ? null : Path.of(authority),
                    ClientAuth.OPTIONAL);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SettingException("rendezvous-server.tls-certificate, rendezvous-server.tls-key: can't be used: " + e.getMessage(), e);
        }
    }

    private void checkSafety(Gatekeeper gatekeeper) {
        if (address.isLoopbackAddress() || settings.get(RendezvousServerSettings.INSECURE)) {
            return;
        }
        String name = "rendezvous-server.address: " + settings.get(RendezvousServerSettings.ADDRESS) + " is not loopback";
        if (gatekeeper.isOpen()) {
            throw new SettingException(name + ", and everybody could use the server. Set rendezvous-server.tokens-file or"
                    + " rendezvous-server.tls-authority; or say rendezvous-server.insecure: true");
        }
        if (tls == null) {
            throw new SettingException(name + ", and tokens could be read on the way. Set rendezvous-server.tls-certificate and"
                    + " rendezvous-server.tls-key; or, where something in front of the server has TLS, rendezvous-server.insecure: true");
        }
    }

    private Channel bind() {
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
        int port = settings.get(RendezvousServerSettings.PORT);
        ChannelFuture bound = bootstrap.bind(address, port).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new SettingException(
                    "rendezvous-server.port: " + new HostPort(HostPort.hostOf(address), port) + " can't be bound: "
                            + bound.cause().getMessage() + "; another port, or 0 for any free one, would do",
                    bound.cause());
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
        accepted.config().setRecvByteBufAllocator(new PartSizes());
        connections.add(accepted);
        ChannelPipeline pipeline = accepted.pipeline();
        if (tls != null) {
            SslHandler handler = tls.handler(accepted.alloc(), arithmetic);
            handler.setHandshakeTimeout(service.requestNanos(), TimeUnit.NANOSECONDS);
            pipeline.addLast(handler);
        }
        pipeline.addLast(
                new HttpServerCodec(new HttpDecoderConfig()
                        .setMaxInitialLineLength(REQUEST_LINE_MAX)
                        .setMaxHeaderSize(HEADERS_BYTES_MAX)),
                new HttpObjectAggregator(BODY_BYTES_MAX, true),
                new Front(service, place));
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    public InetAddress address() {
        return address;
    }

    public boolean isTls() {
        return tls != null;
    }

    /** Returns all numbers by name. From any thread. */
    public Map<String, Long> numbers() {
        return service.numbers();
    }

    /** Ends all connections. Idempotent. */
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
