package dev.tutti.balancer.internal.proxy;

import dev.tutti.announce.message.Announcement;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.proxy.Counters.Name;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts that all exchanges share: limits, the directory of nodes, counters, the access log and the way to nodes. Thread-safe. */
final class Proxy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

    private static final DateTimeFormatter LOG_TIME = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);
    private static final int LOG_TEXT_MAX = 2_048;
    private static final long LINGER_MILLIS = 500;
    private static final int ANSWER_HEADER_FACTOR = 4;

    private final Limits limits;
    private final Directory directory;
    private final Runnable onContextIdle;
    private final Heads heads;
    private final Counters counters;
    private final @Nullable AccessLog accessLog;
    private final @Nullable SslContext nodesTls;
    private final Io io;
    private volatile boolean isClosing;

    /**
     * @param via name of this balancer in the header Via
     * @param onContextIdle called when the last request to a context of a node has ended
     */
    Proxy(Settings settings, Limits limits, Directory directory, Counters counters, Io io, String via, Runnable onContextIdle) {
        this.limits = limits;
        this.directory = directory;
        this.onContextIdle = onContextIdle;
        this.io = io;
        this.heads = new Heads(
                limits.bodyBytes(),
                settings.get(BalancerSettings.TRUST_FORWARDED),
                settings.get(BalancerSettings.SESSION_COOKIE),
                via);
        this.counters = counters;
        this.nodesTls = nodesTls(settings.get(BalancerSettings.NODES_AUTHORITY));
        this.accessLog = accessLog(settings.get(BalancerSettings.ACCESS_LOG), counters);
    }

    private static @Nullable AccessLog accessLog(String file, Counters counters) {
        try {
            return file.isEmpty() ? null : new AccessLog(file, counters);
        } catch (IOException e) {
            throw new SettingException(BalancerSettings.ACCESS_LOG.name() + ": " + file + " can't be written: " + e.getMessage(), e);
        }
    }

    private static @Nullable SslContext nodesTls(String authority) {
        if (authority.isEmpty()) {
            return null;
        }
        try {
            return SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(Path.of(authority).toFile())
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new SettingException(BalancerSettings.NODES_AUTHORITY.name() + ": " + authority + " can't be used: " + e.getMessage(), e);
        }
    }

    Limits limits() {
        return limits;
    }

    Directory directory() {
        return directory;
    }

    Heads heads() {
        return heads;
    }

    Counters counters() {
        return counters;
    }

    void onContextIdle() {
        onContextIdle.run();
    }

    boolean isClosing() {
        return isClosing;
    }

    void onClosing() {
        isClosing = true;
    }

    // ------------------------------------------------------------------ connections to nodes

    /** Opens a connection, which the pool counts already, and hands it or the failure to the exchange. On the loop. */
    void dial(Lane lane, NodePool pool, Announcement to, Exchange exchange) {
        counters.add(Name.NODE_CONNECTIONS);
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(to.host());
        if (literal != null) {
            connect(lane, pool, to, address(literal), exchange);
            return;
        }
        // Asking for a name may take long; the JDK keeps answers for a while.
        CompletableFuture<@Nullable InetAddress> asked = CompletableFuture.supplyAsync(
                () -> resolve(to.host()), task -> Thread.ofVirtual().name("tutti-balancer-name").start(task));
        asked.completeOnTimeout(null, limits.times().connect(), TimeUnit.NANOSECONDS).thenAcceptAsync(found -> {
            if (found == null) {
                onDialFailed(pool, exchange);
            } else {
                connect(lane, pool, to, found, exchange);
            }
        }, lane.loop());
    }

    private static InetAddress address(byte[] literal) {
        try {
            return InetAddress.getByAddress(literal);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has " + literal.length + " bytes", e);
        }
    }

    private static @Nullable InetAddress resolve(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            LOG.debug("the name {} of a node is not known: {}", host, e.getMessage());
            return null;
        }
    }

    private void connect(Lane lane, NodePool pool, Announcement to, InetAddress address, Exchange exchange) {
        SslHandler tls = to.scheme().equals("https") ? tls(to) : null;
        if (to.scheme().equals("https") && tls == null) {
            LOG.warn("node {} at {} has https, and balancer.nodes-authority is not set; it is not reached", to.route(), to.url());
            onDialFailed(pool, exchange);
            return;
        }
        ChannelFuture dialled = new Bootstrap()
                .group(lane.loop())
                .channelFactory(io::newSocket)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TimeUnit.NANOSECONDS.toMillis(limits.times().connect()))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel opening) {
                        if (tls != null) {
                            opening.pipeline().addLast(tls);
                        }
                        opening.pipeline().addLast(new HttpClientCodec(
                                new HttpDecoderConfig().setMaxHeaderSize(limits.headerBytes() * ANSWER_HEADER_FACTOR), false, false));
                    }
                })
                .connect(new InetSocketAddress(address, to.port()));
        dialled.addListener(_ -> {
            if (!dialled.isSuccess()) {
                onDialFailed(pool, exchange);
            } else if (tls == null) {
                onDialled(pool, dialled.channel(), exchange);
            } else {
                Future<Channel> shaken = tls.handshakeFuture();
                shaken.addListener(_ -> {
                    if (shaken.isSuccess()) {
                        onDialled(pool, dialled.channel(), exchange);
                    } else {
                        LOG.warn("node {} at {}: the TLS handshake failed: {}", to.route(), to.url(), shaken.cause().getMessage());
                        dialled.channel().close();
                        onDialFailed(pool, exchange);
                    }
                });
            }
        });
    }

    private @Nullable SslHandler tls(Announcement to) {
        SslContext context = nodesTls;
        if (context == null) {
            return null;
        }
        SslHandler handler = context.newHandler(ByteBufAllocator.DEFAULT, to.host(), to.port());
        handler.setHandshakeTimeout(limits.times().connect(), TimeUnit.NANOSECONDS);
        return handler;
    }

    private static void onDialled(NodePool pool, Channel channel, Exchange exchange) {
        Back back = new Back(pool, channel);
        channel.pipeline().addLast(back);
        if (exchange.isOver()) {
            pool.release(back, System.nanoTime());
        } else {
            exchange.onConnection(back);
        }
    }

    private static void onDialFailed(NodePool pool, Exchange exchange) {
        Exchange next = pool.onClosed(null);
        if (!exchange.isOver()) {
            exchange.onDialFailed();
        }
        if (next != null) {
            next.onRoom();
        }
    }

    /** Closes a client's connection when the client has closed it, or soon. */
    void closeSoon(Channel channel) {
        if (channel.pipeline().get(SslHandler.class) != null) {
            // TLS has an end of its own, which closing sends.
            channel.close();
        } else if (channel.isActive()) {
            if (channel instanceof SocketChannel socket) {
                socket.shutdownOutput();
            }
            EventLoop loop = channel.eventLoop();
            Future<?> end = loop.schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(_ -> end.cancel(false));
        }
    }

    // ------------------------------------------------------------------ log

    /** Writes a line in the combined format, with the route of the node and the time in milliseconds at its end. */
    void log(String client, HttpRequest request, int status, long bytes, String route, long nanos) {
        AccessLog to = accessLog;
        if (to == null) {
            return;
        }
        StringBuilder line = new StringBuilder(256);
        line.append(client).append(" - - [").append(LOG_TIME.format(OffsetDateTime.now())).append("] \"");
        quote(request.method() + " " + request.uri() + " " + request.protocolVersion(), line);
        line.append("\" ").append(status).append(' ').append(bytes).append(" \"");
        quote(request.headers().get(HttpHeaderNames.REFERER, "-"), line);
        line.append("\" \"");
        quote(request.headers().get(HttpHeaderNames.USER_AGENT, "-"), line);
        line.append("\" ").append(route).append(' ').append(TimeUnit.NANOSECONDS.toMicros(nanos) / 1_000.0);
        to.write(line.toString());
    }

    /** Appends a text of a client so that it stays within its quotes. */
    static void quote(String text, StringBuilder line) {
        int length = Math.min(text.length(), LOG_TEXT_MAX);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') {
                line.append("\\x").append(String.format(Locale.ROOT, "%02x", (int) c));
            } else {
                line.append(c);
            }
        }
    }

    @Override
    public void close() {
        AccessLog to = accessLog;
        if (to != null) {
            to.close();
        }
    }
}
