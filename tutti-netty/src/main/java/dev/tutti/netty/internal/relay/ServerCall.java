package dev.tutti.netty.internal.relay;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.Printable;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.SslContext;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server, perhaps through a proxy: a question, or an attempt to open a stream of bytes by an HTTP upgrade (RFC 9110,
 * 7.8). On the loop, except for its look-ups.
 */
final class ServerCall extends ChannelInboundHandlerAdapter {

    /** No answer of a server. */
    static final int NO_ANSWER = 0;

    static final int NOT_FOUND = HttpResponseStatus.NOT_FOUND.code();

    private static final String PROTOCOL = "tutti";
    private static final String PROXY_STATUS = "status: ";
    private static final int LINE_MAX = 1_024;
    private static final int HEADERS_MAX = 8_192;
    private static final int BODY_MAX = 64 * 1_024;
    private static final int REASON_MAX = 300;

    /** Receiver of the result, on the loop; it is told one of the two, unless the call is cancelled. */
    interface Result {

        /** The stream is open. What the receiver adds at the end of the pipeline reads and writes its bytes. */
        void onOpen(SocketChannel channel);

        /**
         * The server has answered, and opened no stream; or it has not answered.
         *
         * @param status the server's answer, or {@link #NO_ANSWER}
         * @param text the answer's body as the server has written it, or the reason why there is none
         */
        void onAnswer(int status, String text);
    }

    private final RelayContext context;
    private final RelayServer server;
    private final String path;
    private final boolean isUpgrade;
    private final Result result;
    private final ArrayDeque<InetAddress> candidates = new ArrayDeque<>();
    private String token = "";
    private @Nullable SslContext tls;
    private @Nullable SocketChannel channel;
    private @Nullable WebSocketClientHandshaker handshaker;
    private @Nullable Future<?> deadline;
    private boolean isOver;

    private ServerCall(RelayContext context, RelayServer server, String path, boolean isUpgrade, Result result) {
        this.context = context;
        this.server = server;
        this.path = path;
        this.isUpgrade = isUpgrade;
        this.result = result;
    }

    /** Opens a stream. */
    static ServerCall open(RelayContext context, RelayServer server, String path, Result result) {
        return begin(new ServerCall(context, server, path, true, result));
    }

    /** Asks, and opens no stream. */
    static ServerCall ask(RelayContext context, RelayServer server, String path, Result result) {
        return begin(new ServerCall(context, server, path, false, result));
    }

    private static ServerCall begin(ServerCall call) {
        RelayContext context = call.context;
        long timeoutNanos = context.options.timeoutNanos();
        call.deadline = context.loop.schedule(
                () -> call.fail("no answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms"),
                timeoutNanos,
                TimeUnit.NANOSECONDS);
        try {
            context.workers.execute(call::lookUp);
        } catch (RejectedExecutionException e) {
            call.onLoop(() -> call.fail("too many look-ups are under way at this node"));
        }
        return call;
    }

    /** Gives the call up; its result is not told. */
    void cancel() {
        if (end()) {
            abort();
        }
    }

    // ------------------------------------------------------------------ towards the server

    private void lookUp() {
        try {
            String readToken = context.options.token();
            SslContext trust = server.isTls() ? context.tls() : null;
            HostPort first = firstHop();
            InetAddress literal = Resolver.literal(first.host());
            List<InetAddress> found = literal == null ? Resolver.lookUp(first.host()) : List.of(literal);
            onLoop(() -> {
                token = readToken;
                tls = trust;
                candidates.addAll(found);
                connect("the name " + first.host() + " has no address");
            });
        } catch (IOException | RuntimeException e) {
            onLoop(() -> fail(String.valueOf(e.getMessage())));
        }
    }

    private void onLoop(Runnable task) {
        try {
            context.loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and nobody waits for the result.
            isOver = true;
        }
    }

    private HostPort firstHop() {
        RelayOptions.Proxy proxy = context.options.proxy();
        return proxy == null ? server.address() : proxy.address();
    }

    private void connect(String lastFailure) {
        InetAddress next = candidates.poll();
        if (isOver) {
            return;
        }
        if (next == null) {
            fail(lastFailure);
            return;
        }
        InetSocketAddress hop = new InetSocketAddress(next, firstHop().port());
        RelayOptions.Proxy proxy = context.options.proxy();
        Bootstrap bootstrap = new Bootstrap()
                .group(context.loop)
                .channelFactory(context.sockets::get)
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel opened) {
                        prepare(opened, proxy, hop);
                    }
                });
        InetSocketAddress target = proxy == null
                ? hop
                : InetSocketAddress.createUnresolved(server.address().host(), server.address().port());
        bootstrap.connect(target).addListener(connected -> {
            Throwable cause = connected.cause();
            if (cause != null) {
                abort();
                connect(reason(cause));
            }
        });
    }

    private void prepare(SocketChannel opened, RelayOptions.@Nullable Proxy proxy, InetSocketAddress hop) {
        channel = opened;
        ChannelPipeline pipeline = opened.pipeline();
        if (proxy != null) {
            HttpProxyHandler handler = proxy.user().isEmpty()
                    ? new HttpProxyHandler(hop)
                    : new HttpProxyHandler(hop, proxy.user(), proxy.password());
            handler.setConnectTimeoutMillis(0);
            pipeline.addLast(handler);
        }
        if (tls != null) {
            pipeline.addLast(tls.newHandler(opened.alloc(), server.address().host(), server.address().port()));
        }
        pipeline.addLast(new HttpClientCodec(LINE_MAX, HEADERS_MAX, HEADERS_MAX), new HttpObjectAggregator(BODY_MAX), this);
    }

    // ------------------------------------------------------------------ the request and its answer

    @Override
    public void channelActive(ChannelHandlerContext active) {
        HttpHeaders headers = new DefaultHttpHeaders();
        if (!token.isEmpty()) {
            headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + token);
        }
        if (isUpgrade && server.isWebSocket()) {
            URI uri = URI.create((server.isTls() ? "wss://" : "ws://") + server + path);
            handshaker = WebSocketClientHandshakerFactory.newHandshaker(
                    uri, WebSocketVersion.V13, null, false, headers, WebSocketBytes.FRAME_MAX);
            handshaker.handshake(active.channel());
            return;
        }
        headers.set(HttpHeaderNames.HOST, server.toString());
        headers.set(HttpHeaderNames.CONNECTION, isUpgrade ? HttpHeaderValues.UPGRADE : HttpHeaderValues.CLOSE);
        if (isUpgrade) {
            headers.set(HttpHeaderNames.UPGRADE, PROTOCOL);
        }
        active.writeAndFlush(new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.GET, path, Unpooled.EMPTY_BUFFER, headers, new DefaultHttpHeaders()));
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        if (!(message instanceof FullHttpResponse response) || isOver) {
            ReferenceCountUtil.release(message);
            return;
        }
        try {
            int status = response.status().code();
            if (status != HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
                answer(status, response.content().toString(StandardCharsets.UTF_8));
            } else if (!isUpgrade || !server.isWebSocket() && !PROTOCOL.equals(response.headers().get(HttpHeaderNames.UPGRADE))) {
                fail("is no rendezvous server: it has upgraded to another protocol");
            } else {
                succeed(reading.pipeline(), response);
            }
        } catch (RuntimeException e) {
            fail(String.valueOf(e.getMessage()));
        } finally {
            response.release();
        }
    }

    private void succeed(ChannelPipeline pipeline, FullHttpResponse response) {
        SocketChannel opened = channel;
        if (opened == null) {
            return;
        }
        if (handshaker != null) {
            handshaker.finishHandshake(opened, response);
            pipeline.replace(this, null, new WebSocketBytes());
            end();
            result.onOpen(opened);
            return;
        }
        // Bytes that have come with the answer are passed on when the codec goes: the receiver has to be there already.
        HttpClientCodec codec = pipeline.get(HttpClientCodec.class);
        codec.prepareUpgradeFrom(pipeline.context(codec));
        end();
        result.onOpen(opened);
        pipeline.remove(this);
        if (pipeline.get(HttpObjectAggregator.class) != null) {
            pipeline.remove(HttpObjectAggregator.class);
        }
        pipeline.remove(codec);
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        fail("closed the connection without an answer");
        inactive.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failing, Throwable cause) {
        fail(reason(cause));
    }

    private String reason(Throwable cause) {
        String text = cause.getMessage();
        if (text == null) {
            return cause.getClass().getSimpleName();
        }
        // The text begins with addresses, for which the settings have better names.
        int status = text.indexOf(PROXY_STATUS);
        return cause instanceof ProxyConnectException && status >= 0
                ? "the proxy " + firstHop() + " refuses the connection: " + text.substring(status + PROXY_STATUS.length())
                : text;
    }

    private void fail(String reason) {
        context.onFailed();
        answer(NO_ANSWER, reason);
    }

    private void answer(int status, String text) {
        if (end()) {
            abort();
            result.onAnswer(status, text);
        }
    }

    /** Returns the reason of an answer that is no stream, in one line for people. */
    static String reason(int status, String text) {
        String line = text.strip();
        String shown = Printable.escape(line.length() > REASON_MAX ? line.substring(0, REASON_MAX) : line);
        return status == NO_ANSWER ? shown : "HTTP " + status + (shown.isEmpty() ? "" : ": " + shown);
    }

    /** Returns whether the call was not over before. */
    private boolean end() {
        boolean wasOver = isOver;
        isOver = true;
        if (deadline != null) {
            deadline.cancel(false);
        }
        return !wasOver;
    }

    private void abort() {
        Channel opened = channel;
        channel = null;
        if (opened != null) {
            opened.close();
        }
    }
}
