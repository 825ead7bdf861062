package dev.tutti.console.internal;

import dev.tutti.address.HostPort;
import dev.tutti.console.ConsoleSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.PrivateFile;
import dev.tutti.internal.door.ListenAddress;
import dev.tutti.internal.door.Places;
import dev.tutti.internal.door.Places.Place;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The socket that browsers connect to, with one thread for all of them. */
final class Listener implements AutoCloseable {

    /** A provider sends a browser back with a code, and those of some have more than 1,000 characters. */
    private static final int REQUEST_LINE_MAX = 4_096;
    private static final int HEADERS_BYTES_MAX = 8_192;
    /** An attribute's value of 256 characters may be escaped as 2,304 bytes and more. */
    private static final int BODY_BYTES_MAX = 4_096;
    private static final int ACCEPTS_WAITING_MAX = 128;

    private final Settings settings;
    private final @Nullable SslContext tls;
    private final MultiThreadIoEventLoopGroup loops;
    private final Places places;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final InetAddress address;
    private final Channel channel;

    /** Creates the listener of the console. */
    static Listener ofConsole(Settings settings, CounterTable counters, Routes.Factory routes) {
        int first = settings.get(ConsoleSettings.PORT);
        int last = first == 0 ? 0 : Math.min(first + settings.get(ConsoleSettings.PORT_RANGE), PORT_MAX);
        return new Listener(settings, new Ports(ConsoleSettings.PORT.name(), first, last), counters, routes);
    }

    /** Creates the listener for health alone; returns null if none is set. */
    static @Nullable Listener ofHealth(Settings settings, CounterTable counters, Routes.Factory routes) {
        int port = settings.get(ConsoleSettings.HEALTH_PORT);
        return port < 0 ? null : new Listener(settings, new Ports(ConsoleSettings.HEALTH_PORT.name(), port, port), counters, routes);
    }

    /** Ports to try, and the setting that names them. */
    private record Ports(String setting, int first, int last) {}

    /**
     * @throws SettingException if the address can't be bound, or not safely
     */
    private Listener(Settings settings, Ports ports, CounterTable counters, Routes.Factory routes) {
        this.settings = settings;
        this.tls = tls(settings);
        this.address = ListenAddress.of(settings, ConsoleSettings.ADDRESS);
        int connectionsMax = settings.get(ConsoleSettings.CONNECTIONS_MAX);
        this.places = new Places(connectionsMax, connectionsMax / 2);
        if (tls == null && !address.isLoopbackAddress() && !settings.get(ConsoleSettings.INSECURE)) {
            throw new SettingException("console.address: " + settings.get(ConsoleSettings.ADDRESS)
                    + " is not loopback, which needs TLS (console.tls-certificate and console.tls-key); or say"
                    + " console.insecure: true");
        }
        this.loops = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("tutti-console", true), NioIoHandler.newFactory());
        try {
            this.channel = bind(ports, counters, routes);
        } catch (RuntimeException e) {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw e;
        }
    }

    private Channel bind(Ports ports, CounterTable counters, Routes.Factory routes) {
        int buffer = (int) settings.get(ConsoleSettings.BROWSER_BUFFER).bytes();
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, ACCEPTS_WAITING_MAX)
                .option(ChannelOption.SO_REUSEADDR, true)
                // Turned on by accept().
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(buffer / 8, buffer / 4))
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        Place place = places.enter(connection.remoteAddress(), connection::close);
                        if (place == null) {
                            connection.close();
                            return;
                        }
                        connection.closeFuture().addListener(_ -> place.leave());
                        connections.add(connection);
                        ChannelPipeline pipeline = connection.pipeline();
                        Deadline deadline = new Deadline(
                                settings.get(ConsoleSettings.REQUEST_TIMEOUT).toNanos(), counters, place);
                        pipeline.addLast(deadline);
                        if (tls != null) {
                            pipeline.addLast(tls.newHandler(connection.alloc()));
                        }
                        pipeline.addLast(new HttpServerCodec(new HttpDecoderConfig()
                                .setMaxInitialLineLength(REQUEST_LINE_MAX)
                                .setMaxHeaderSize(HEADERS_BYTES_MAX)));
                        pipeline.addLast(new HttpObjectAggregator(BODY_BYTES_MAX, true));
                        pipeline.addLast(routes.forConnection(deadline));
                    }
                });
        for (int port = ports.first(); ; port++) {
            ChannelFuture bound = bootstrap.bind(address, port).awaitUninterruptibly();
            if (bound.isSuccess()) {
                return bound.channel();
            }
            if (port == ports.last()) {
                String tried = port == ports.first() ? "port " + port : "ports " + ports.first() + " to " + port;
                throw new SettingException(
                        ports.setting() + ": " + tried + " of " + HostPort.hostOf(address) + " can't be bound: "
                                + bound.cause().getMessage(),
                        bound.cause());
            }
        }
    }

    private static @Nullable SslContext tls(Settings settings) {
        String certificate = settings.get(ConsoleSettings.TLS_CERTIFICATE);
        String key = settings.get(ConsoleSettings.TLS_KEY);
        if (certificate.isEmpty() && key.isEmpty()) {
            return null;
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new SettingException("console.tls-certificate and console.tls-key are set together; one is missing");
        }
        try {
            PrivateFile.check(Path.of(key));
            return SslContextBuilder.forServer(Path.of(certificate).toFile(), Path.of(key).toFile())
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build();
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingException("console.tls-certificate, console.tls-key: can't be used: " + e.getMessage(), e);
        }
    }

    /** Starts to accept connections. */
    void accept() {
        channel.config().setAutoRead(true);
    }

    boolean isTls() {
        return tls != null;
    }

    Places places() {
        return places;
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Returns the host that it listens on, as a name that a browser on this machine reaches. */
    String host() {
        if (address.isAnyLocalAddress()) {
            return "localhost";
        }
        return new HostPort(HostPort.hostOf(address), -1).toString();
    }

    /** Ends all connections. Idempotent. */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        connections.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }

    private static final int PORT_MAX = 65_535;
    private static final int CLOSE_SECONDS_MAX = 2;
}
