package dev.tutti.stomp.internal.session;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.door.ListenAddress;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.stomp.StompSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The socket that clients connect to, and the threads that serve them. */
public final class Listener implements AutoCloseable {

    private static final int ACCEPTS_WAITING_MAX = 4_096;
    private static final int ARITHMETIC_THREADS = 2;
    private static final int ARITHMETIC_WAITING_MAX = 100_000;
    private static final int THREADS_MAX = 4;

    private final Settings settings;
    private final @Nullable ServerTls tls;
    private final MultiThreadIoEventLoopGroup loops;
    private final ThreadPoolExecutor arithmetic;
    private final Channel channel;
    private volatile @Nullable Hub hub;

    private Listener(Settings settings, Io io, @Nullable ServerTls tls) {
        this.settings = settings;
        this.tls = tls;
        int threads = settings.get(StompSettings.THREADS);
        this.loops = new MultiThreadIoEventLoopGroup(
                threads > 0 ? threads : Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors()),
                new DefaultThreadFactory("tutti-stomp", true),
                io.handlers());
        this.arithmetic = new ThreadPoolExecutor(
                ARITHMETIC_THREADS,
                ARITHMETIC_THREADS,
                2,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(ARITHMETIC_WAITING_MAX),
                new DefaultThreadFactory("tutti-stomp-tls", true));
        arithmetic.allowCoreThreadTimeOut(true);
        try {
            this.channel = bind(io);
        } catch (RuntimeException e) {
            closeThreads();
            throw e;
        }
    }

    /**
     * Binds; connections are accepted from {@link #accept} on.
     *
     * @param hasAuthenticator whether log-ins are checked
     * @throws SettingException if the address can't be bound, or not safely
     */
    public static Listener open(Settings settings, TransportSettings.Io wanted, boolean hasAuthenticator) {
        ServerTls tls = tls(settings);
        boolean isClosed = tls != null && (hasAuthenticator || tls.asksForCertificates());
        InetAddress address = ListenAddress.of(settings, StompSettings.ADDRESS);
        if (!isClosed && !settings.get(StompSettings.INSECURE) && !address.isLoopbackAddress()) {
            throw new SettingException("stomp.address: " + settings.get(StompSettings.ADDRESS)
                    + " is not loopback, which needs TLS (stomp.tls-certificate and stomp.tls-key) and an authenticator or"
                    + " stomp.tls-authority; or say stomp.insecure: true");
        }
        return new Listener(settings, Io.choose(wanted), tls);
    }

    /**
     * Returns null if no certificate is set.
     *
     * @throws SettingException that names what is wrong
     */
    private static @Nullable ServerTls tls(Settings settings) {
        String certificate = settings.get(StompSettings.TLS_CERTIFICATE);
        String key = settings.get(StompSettings.TLS_KEY);
        String authority = settings.get(StompSettings.TLS_AUTHORITY);
        if (certificate.isEmpty() && key.isEmpty() && authority.isEmpty()) {
            return null;
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new SettingException("stomp.tls-certificate and stomp.tls-key are set together; one is missing");
        }
        try {
            return new ServerTls(
                    "STOMP",
                    Path.of(certificate),
                    Path.of(key),
                    authority.isEmpty() ? null : Path.of(authority),
                    ClientAuth.REQUIRE);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SettingException("stomp.tls-certificate, stomp.tls-key: can't be used: " + e.getMessage(), e);
        }
    }

    private Channel bind(Io io) {
        int clientBuffer = (int) Math.min(settings.get(StompSettings.CLIENT_BUFFER).bytes(), Integer.MAX_VALUE);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channelFactory(io::newServer)
                .option(ChannelOption.SO_BACKLOG, ACCEPTS_WAITING_MAX)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(clientBuffer / 8, clientBuffer / 4))
                .childHandler(new Initializer());
        InetAddress address = ListenAddress.of(settings, StompSettings.ADDRESS);
        int first = settings.get(StompSettings.PORT);
        int last = first == 0 ? 0 : Math.min(65_535, first + settings.get(StompSettings.PORT_RANGE));
        for (int port = first; ; port++) {
            ChannelFuture bound = bootstrap.bind(address, port).awaitUninterruptibly();
            if (bound.isSuccess()) {
                return bound.channel();
            }
            if (port == last) {
                throw new SettingException("stomp.port: " + new HostPort(HostPort.hostOf(address), first)
                        + (last > first ? " to " + last : "") + " can't be bound: " + bound.cause().getMessage()
                        + "; another port, or 0 for any free one, would do");
            }
        }
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Returns the URLs for clients; the host is that of {@code nodeAddress} if this one is bound to all addresses. */
    public List<String> endpoints(String nodeAddress) {
        String advertised = settings.get(StompSettings.ADVERTISE);
        InetAddress address = ((InetSocketAddress) channel.localAddress()).getAddress();
        String host = address.isAnyLocalAddress() ? HostPort.parse(nodeAddress).machine() : HostPort.hostOf(address);
        String place = advertised.isEmpty() ? new HostPort(host, port()).toString() : advertised;
        return tls == null
                ? List.of("stomp://" + place, "ws://" + place + "/")
                : List.of("stomps://" + place, "wss://" + place + "/");
    }

    public List<EventLoop> loops() {
        List<EventLoop> all = new ArrayList<>();
        for (EventExecutor each : loops) {
            all.add((EventLoop) each);
        }
        return all;
    }

    /** Accepts connections from now on, for {@code served}. */
    public void accept(Hub served) {
        hub = served;
        channel.config().setAutoRead(true);
        channel.read();
    }

    /** Stops accepting connections. */
    public void stop() {
        channel.close().awaitUninterruptibly();
    }

    /** Ends the threads and with them all remaining connections. */
    @Override
    public void close() {
        stop();
        closeThreads();
    }

    private void closeThreads() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        arithmetic.shutdown();
    }

    private final class Initializer extends ChannelInitializer<Channel> {

        @Override
        protected void initChannel(Channel accepted) {
            Hub served = hub;
            if (served == null) {
                accepted.close();
                return;
            }
            Shard shard = served.shardOf(accepted.eventLoop());
            StompConnection connection = new StompConnection(served, shard, accepted);
            ChannelPipeline pipeline = accepted.pipeline();
            ServerTls secured = tls;
            if (secured != null) {
                SslHandler handler = secured.handler(accepted.alloc(), arithmetic);
                handler.setHandshakeTimeoutMillis(
                        TimeUnit.NANOSECONDS.toMillis(served.options().times().connectTimeoutNanos()));
                pipeline.addLast(handler);
            }
            pipeline.addLast(Detection.NAME, new Detection(served, connection));
            pipeline.addLast(connection);
            connection.enter();
        }
    }
}
