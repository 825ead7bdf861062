package dev.tutti.balancer.internal.proxy;

import dev.tutti.address.HostPort;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.proxy.Counters.Name;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.door.ListenAddress;
import dev.tutti.internal.door.Places;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.reload.ServerTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The listening socket for requests, its loops and its connections. */
public final class ProxyListener implements AutoCloseable {

    private static final int ACCEPTS_WAITING_MAX = 4_096;
    private static final int THREADS_MAX = 16;
    private static final int HANDSHAKES_WAITING_MAX = 4_096;
    private static final long HANDSHAKE_SECONDS_MAX = 10;
    private static final int CLOSE_SECONDS_MAX = 2;
    private static final long TICK_MILLIS = 100;

    private final InetAddress address;
    private final @Nullable ServerTls tls;
    private final boolean hasHttp2;
    private final Places places;
    private final Limits limits;
    private final Proxy proxy;
    private final Counters counters;
    private final long drainNanosMax;
    private final Io io = Io.choose(TransportSettings.Io.AUTO);
    private final EventLoopGroup loops;
    private final Map<EventExecutor, Lane> lanes = new HashMap<>();
    private final ThreadPoolExecutor arithmetic;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel channel;

    /**
     * Listens, and accepts connections.
     *
     * @param tls null for requests without TLS
     * @param via name of this balancer in the header Via
     * @param onContextIdle called when the last request to a context of a node has ended
     * @throws SettingException if the address can't be bound, or a file can't be used
     */
    public ProxyListener(
            Settings settings, @Nullable ServerTls tls, Directory directory, Counters counters, String via, Runnable onContextIdle) {
        this.address = ListenAddress.of(settings, BalancerSettings.ADDRESS);
        this.tls = tls;
        this.hasHttp2 = settings.get(BalancerSettings.HTTP2);
        this.counters = counters;
        this.drainNanosMax = settings.get(BalancerSettings.DRAIN_TIMEOUT).toNanos();
        this.places = new Places(
                settings.get(BalancerSettings.CONNECTIONS_MAX), settings.get(BalancerSettings.HOST_CONNECTIONS_MAX));
        int threads = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, THREADS_MAX);
        this.limits = Limits.of(settings, threads);
        this.proxy = new Proxy(settings, limits, directory, counters, io, via, onContextIdle);
        this.loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("tutti-balancer", true), io.handlers());
        this.arithmetic = new ThreadPoolExecutor(
                threads,
                threads,
                CLOSE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(HANDSHAKES_WAITING_MAX),
                new DefaultThreadFactory("tutti-balancer-tls", true));
        arithmetic.allowCoreThreadTimeOut(true);
        for (EventExecutor loop : loops) {
            Lane lane = new Lane((EventLoop) loop, limits);
            lanes.put(loop, lane);
            loop.scheduleAtFixedRate(() -> lane.onTime(System.nanoTime()), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
        try {
            this.channel = bind(settings.get(BalancerSettings.PORT));
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
            throw new SettingException(
                    BalancerSettings.PORT.name() + ": " + new HostPort(HostPort.hostOf(address), port) + " can't be bound: "
                            + bound.cause().getMessage() + "; another port, or 0 for any free one, would do",
                    bound.cause());
        }
        return bound.channel();
    }

    private void receive(Channel accepted) {
        Place place = places.enter(accepted.remoteAddress(), accepted::close);
        Lane lane = lanes.get(accepted.eventLoop());
        if (place == null || lane == null) {
            accepted.close();
            return;
        }
        counters.add(Name.CONNECTIONS);
        connections.add(accepted);
        Heads.Client facts = new Heads.Client(Heads.addressOf(accepted.remoteAddress()), tls != null, port());
        Client client = new Client(accepted, place, facts, limits.times().idle());
        lane.enter(client);
        accepted.closeFuture().addListener(_ -> {
            place.leave();
            lane.leave(client);
        });
        if (tls == null) {
            if (hasHttp2) {
                accepted.pipeline().addLast(new PrefaceReader(lane, client));
            } else {
                speakHttp1(accepted, lane, client);
            }
            return;
        }
        SslHandler handler = tls.handler(accepted.alloc(), arithmetic);
        handler.setHandshakeTimeout(HANDSHAKE_SECONDS_MAX, TimeUnit.SECONDS);
        accepted.pipeline().addLast(handler, new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
            @Override
            protected void configurePipeline(ChannelHandlerContext context, String protocol) {
                if (hasHttp2 && protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                    speakHttp2(context.channel(), lane, client);
                } else {
                    speakHttp1(context.channel(), lane, client);
                }
            }

            @Override
            protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        });
    }

    /** Finds out which protocol a client without TLS speaks: HTTP/2 begins with a preface (RFC 9113, section 3.4). */
    private final class PrefaceReader extends ByteToMessageDecoder {

        private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

        private final Lane lane;
        private final Client client;

        PrefaceReader(Lane lane, Client client) {
            this.lane = lane;
            this.client = client;
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            int length = Math.min(in.readableBytes(), PREFACE.length);
            for (int i = 0; i < length; i++) {
                if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
                    speakHttp1(context.channel(), lane, client);
                    context.pipeline().remove(this);
                    return;
                }
            }
            if (length == PREFACE.length) {
                speakHttp2(context.channel(), lane, client);
                context.pipeline().remove(this);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private void speakHttp1(Channel accepted, Lane lane, Client client) {
        accepted.pipeline()
                .addLast(
                        new HttpServerCodec(new HttpDecoderConfig()
                                .setMaxInitialLineLength(limits.targetBytes())
                                .setMaxHeaderSize(limits.headerBytes())),
                        new Front(proxy, lane, client, accepted, false));
    }

    private void speakHttp2(Channel accepted, Lane lane, Client client) {
        Http2Settings wanted = Http2Settings.defaultSettings()
                .maxConcurrentStreams(limits.streams())
                .maxHeaderListSize(limits.headerBytes());
        ChannelPipeline pipeline = accepted.pipeline();
        pipeline.addLast(
                Http2FrameCodecBuilder.forServer().initialSettings(wanted).build(),
                new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.pipeline()
                                .addLast(
                                        new Http2StreamFrameToHttpObjectCodec(true),
                                        new Front(proxy, lane, client, stream, true));
                    }
                }));
    }

    public int port() {
        return channel == null ? 0 : ((InetSocketAddress) channel.localAddress()).getPort();
    }

    public InetAddress address() {
        return address;
    }

    /** Returns the base of the addresses for clients. */
    public String url() {
        String name = address.isAnyLocalAddress() ? "localhost" : HostPort.hostOf(address);
        return (tls == null ? "http://" : "https://") + new HostPort(name, port());
    }

    /** Returns present numbers by name. From any thread but the loops. */
    public Map<String, Long> numbers() {
        Map<String, Long> numbers = new TreeMap<>();
        numbers.put("client-connections", (long) places.taken());
        numbers.put("client-connections-evicted", places.evicted());
        numbers.put("client-connections-refused", places.refused());
        numbers.put("requests-in-progress", sum(Lane::inProgress));
        numbers.put("node-connections-open", sum(Lane::nodeConnections));
        return numbers;
    }

    private long sum(ToIntFunction<Lane> number) {
        long sum = 0;
        for (Lane lane : lanes.values()) {
            try {
                sum += lane.loop().submit(() -> number.applyAsInt(lane)).get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return sum;
            }
        }
        return sum;
    }

    /** Accepts nothing more, waits for requests that are under way, and ends all connections. Idempotent. */
    @Override
    public void close() {
        if (loops.isShuttingDown()) {
            return;
        }
        proxy.onClosing();
        channel.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        long endNanos = System.nanoTime() + drainNanosMax;
        while (System.nanoTime() - endNanos < 0 && sum(Lane::inProgress) > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        connections.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        closeThreads();
        proxy.close();
    }

    private void closeThreads() {
        loops.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS).awaitUninterruptibly(2L * CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        arithmetic.shutdown();
    }
}
