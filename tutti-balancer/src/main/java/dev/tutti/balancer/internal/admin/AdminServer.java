package dev.tutti.balancer.internal.admin;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.door.Places;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.reload.ServerTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A small HTTP server with one thread, for short requests of few clients. */
public final class AdminServer implements AutoCloseable {

    /** Answers requests, on the loop. */
    @FunctionalInterface
    public interface Answers {

        /** Returns the answer to a request. */
        FullHttpResponse to(Channel channel, FullHttpRequest request);
    }

    private static final int CONNECTIONS_MAX = 512;
    private static final int HOST_CONNECTIONS_MAX = 128;
    private static final int LINE_MAX = 4_096;
    private static final int HEADERS_BYTES_MAX = 16_384;
    private static final int BODY_BYTES_MAX = 64 << 10;
    private static final int IDLE_SECONDS_MAX = 30;
    private static final int CLOSE_SECONDS_MAX = 2;

    private final InetAddress address;
    private final @Nullable ServerTls tls;
    private final Answers answers;
    private final Places places = new Places(CONNECTIONS_MAX, HOST_CONNECTIONS_MAX);
    private final Io io = Io.choose(TransportSettings.Io.AUTO);
    private final EventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel channel;

    /**
     * @param name name of the setting of the port, for errors
     * @param tls null without TLS
     */
    public AdminServer(String name, InetAddress address, int port, @Nullable ServerTls tls, Answers answers) {
        this.address = address;
        this.tls = tls;
        this.answers = answers;
        this.loops = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("tutti-balancer-admin", true), io.handlers());
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channelFactory(io::newServer)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        receive(accepted);
                    }
                })
                .bind(address, port)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            closeThreads();
            throw new SettingException(
                    name + ": " + new HostPort(HostPort.hostOf(address), port) + " can't be bound: " + bound.cause().getMessage()
                            + "; another port, or 0 for any free one, would do",
                    bound.cause());
        }
        this.channel = bound.channel();
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
            // Few clients: the handshake's arithmetic may hold up the one loop.
            SslHandler handler = tls.handler(accepted.alloc(), Runnable::run);
            handler.setHandshakeTimeout(IDLE_SECONDS_MAX, TimeUnit.SECONDS);
            accepted.pipeline().addLast(handler);
        }
        accepted.pipeline()
                .addLast(
                        new IdleStateHandler(IDLE_SECONDS_MAX, 0, 0),
                        new HttpServerCodec(
                                new HttpDecoderConfig().setMaxInitialLineLength(LINE_MAX).setMaxHeaderSize(HEADERS_BYTES_MAX)),
                        new HttpObjectAggregator(BODY_BYTES_MAX, true),
                        new Requests());
    }

    private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            FullHttpResponse answer = answers.to(context.channel(), request);
            answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
            boolean isKept = HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
            if (!isKept) {
                answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            }
            ChannelFuture written = context.writeAndFlush(answer);
            if (!isKept) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            // Nothing came for a while.
            context.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Returns the base of its addresses. */
    public String url() {
        String name = address.isAnyLocalAddress() ? "localhost" : HostPort.hostOf(address);
        return (tls == null ? "http://" : "https://") + new HostPort(name, port());
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        connections.close().awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        closeThreads();
    }

    private void closeThreads() {
        loops.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS).awaitUninterruptibly(2L * CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
}
