package dev.tutti.rendezvous.internal.http;

import dev.tutti.internal.door.Origins;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.netty.internal.relay.WebSocketBytes;
import dev.tutti.netty.internal.reload.Tokens;
import dev.tutti.rendezvous.internal.http.ServerCounters.Name;
import dev.tutti.rendezvous.internal.registry.ListedNode;
import dev.tutti.rendezvous.internal.registry.Pair;
import dev.tutti.rendezvous.internal.registry.Refused;
import dev.tutti.rendezvous.internal.registry.Registry;
import dev.tutti.rendezvous.internal.relay.ControlHandler;
import dev.tutti.rendezvous.internal.relay.RelayedPair;
import dev.tutti.rendezvous.internal.relay.Splice;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker13;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection with one request, which is answered, or upgraded to a stream of bytes. On the connection's loop. */
final class Front extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final String PROTOCOL = "tutti";
    private static final int LIMIT = 100;
    private static final int LIMIT_MAX = 1_000;

    private final Service service;
    private final Place place;
    private @Nullable Future<?> deadline;
    private boolean isAsked;

    /** The request of a node that has dialled, until the other node has come. */
    private @Nullable FullHttpRequest waiting;

    private @Nullable Pair pair;

    Front(Service service, Place place) {
        this.service = service;
        this.place = place;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        deadline = context.executor().schedule(() -> onTooSlow(context.channel()), service.requestNanos(), TimeUnit.NANOSECONDS);
    }

    private void stopDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (isAsked) {
            // There is one request to a connection, and nothing follows it before its answer.
            service.counters().add(Name.REFUSED, 1);
            context.close();
            return;
        }
        isAsked = true;
        stopDeadline();
        place.onBusy();
        service.counters().add(Name.REQUESTS, 1);
        try {
            serve(context.channel(), request);
        } catch (Refused e) {
            refuse(context.channel(), e);
        }
    }

    private void serve(Channel channel, FullHttpRequest request) throws Refused {
        if (request.decoderResult().isFailure()) {
            throw new Refused(Refused.BAD_REQUEST, "the request is malformed or too long");
        }
        if (!request.method().equals(HttpMethod.GET)) {
            throw new Refused(HttpResponseStatus.METHOD_NOT_ALLOWED.code(), "the server answers GET alone");
        }
        Route route = Route.of(request.uri());
        switch (route.what()) {
            case "live" -> answer(channel, 200, "text/plain", "live\n");
            case "ready" -> answer(channel, service.isReady() ? 200 : Refused.UNAVAILABLE, "text/plain",
                    service.isReady() ? "ready\n" : "closing\n");
            case "page", "metrics" -> {
                service.gatekeeper().check(channel, request.headers(), Tokens.ALL);
                boolean isPage = route.what().equals("page");
                answer(channel, 200, isPage ? "text/html" : "text/plain; version=0.0.4", isPage ? service.page() : service.metrics());
            }
            default -> {
                service.gatekeeper().check(channel, request.headers(), route.cluster());
                switch (route.what()) {
                    case "nodes" -> list(channel, route);
                    case "listen" -> listen(channel, request, route);
                    case "connect" -> connect(channel, request, route);
                    default -> accept(channel, request, route);
                }
            }
        }
    }

    // ------------------------------------------------------------------ lists

    private void list(Channel channel, Route route) throws Refused {
        int limit = (int) route.number("limit", LIMIT, 1, LIMIT_MAX);
        long after = route.number("after", -1, 0, Long.MAX_VALUE);
        if (after < 0) {
            list(channel, service.registry().list(route.cluster(), limit));
        } else {
            service.registry().watch(route.cluster(), limit, after, listing -> list(channel, listing), System.nanoTime());
        }
    }

    private void list(Channel channel, Registry.Listing listing) {
        StringBuilder lines = new StringBuilder();
        listing.nodes().forEach(node -> lines.append(node.address()).append('\n'));
        FullHttpResponse response = response(200, "text/plain; charset=utf-8", lines.toString());
        response.headers().set("Tutti-Version", listing.version());
        send(channel, response);
    }

    // ------------------------------------------------------------------ streams

    private void listen(Channel channel, FullHttpRequest request, Route route) throws Refused {
        checkUpgrade(request);
        Listening listening = new Listening();
        ControlHandler control = new ControlHandler(listening);
        listening.node = service.registry()
                .enter(route.cluster(), route.argument(), host(channel), !route.is("relay", "no"), control);
        place.onResident();
        upgrade(channel, request, control);
        if (!channel.isActive()) {
            service.registry().leave(listening.node);
        }
    }

    private final class Listening implements ControlHandler.End {

        private @Nullable ListedNode node;

        @Override
        public void onEnd(boolean wasSilent) {
            if (wasSilent) {
                service.counters().add(Name.SILENT, 1);
            }
            if (node != null) {
                service.registry().leave(node);
            }
        }
    }

    private void connect(Channel channel, FullHttpRequest request, Route route) throws Refused {
        checkUpgrade(request);
        pair = service.registry().connect(route.cluster(), route.argument(), remote(channel), new Dialling(channel), System.nanoTime());
        // Nothing is read before the other node is there.
        channel.config().setAutoRead(false);
        waiting = request.retain();
    }

    /** The end of a pair that has dialled. */
    final class Dialling implements Pair.Dialler {

        private final Channel channel;

        Dialling(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void onTimeout() {
            channel.eventLoop()
                    .execute(() -> refuse(channel, new Refused(Refused.TIMEOUT, "the node did not take the connection in time")));
        }

        /** Connects this end with another one, which is not read yet. */
        void onAccepted(Channel other, FullHttpRequest request, Front front, Pair accepted) {
            channel.eventLoop().execute(() -> {
                FullHttpRequest own = waiting;
                waiting = null;
                if (own == null || !channel.isActive()) {
                    service.registry().end(accepted);
                    other.eventLoop().execute(() -> {
                        front.refuse(other, new Refused(Refused.NOT_FOUND, "the node that has dialled is gone"));
                        request.release();
                    });
                    return;
                }
                pair = null;
                RelayedPair relayed = service.relayed(accepted);
                Splice here = relayed.dialler(other);
                place.onResident();
                upgrade(channel, own, here);
                own.release();
                other.eventLoop().execute(() -> {
                    if (!other.isActive()) {
                        relayed.onClosed();
                        channel.close();
                        request.release();
                        return;
                    }
                    Splice there = relayed.acceptor(channel);
                    front.place.onResident();
                    front.upgrade(other, request, there);
                    request.release();
                    service.counters().add(Name.PAIRED, 1);
                    there.start();
                    channel.eventLoop().execute(here::start);
                });
            });
        }
    }

    private void accept(Channel channel, FullHttpRequest request, Route route) throws Refused {
        checkUpgrade(request);
        Pair accepted = service.registry().accept(route.cluster(), route.argument());
        channel.config().setAutoRead(false);
        ((Dialling) accepted.dialler()).onAccepted(channel, request.retain(), this, accepted);
    }

    private static void checkUpgrade(FullHttpRequest request) throws Refused {
        HttpHeaders headers = request.headers();
        String protocol = headers.get(HttpHeaderNames.UPGRADE, "");
        boolean isWebSocket = protocol.equalsIgnoreCase("websocket");
        if (!protocol.equals(PROTOCOL) && !isWebSocket) {
            throw new Refused(HttpResponseStatus.UPGRADE_REQUIRED.code(), "this is a stream: ask with Upgrade: tutti, or websocket");
        }
        // Checked before anything is begun for the request: a handshake that fails later would leave a pair with one end.
        boolean isComplete = WebSocketVersion.V13.toHttpHeaderValue().equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))
                && headers.contains(HttpHeaderNames.SEC_WEBSOCKET_KEY);
        if (isWebSocket && !isComplete) {
            throw new Refused(Refused.BAD_REQUEST, "WebSockets are opened with Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key");
        }
    }

    /** Answers that the protocol changes, and lets {@code handler} have the bytes from now on. */
    private void upgrade(Channel channel, FullHttpRequest request, ChannelHandler handler) {
        ChannelPipeline pipeline = channel.pipeline();
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, handler instanceof Splice);
        if (PROTOCOL.equals(request.headers().get(HttpHeaderNames.UPGRADE))) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE).set(HttpHeaderNames.UPGRADE, PROTOCOL);
            channel.writeAndFlush(response);
            // Bytes that have come with the request are passed on when the codec goes.
            pipeline.addLast(handler);
            pipeline.remove(this);
            pipeline.remove(HttpObjectAggregator.class);
            pipeline.remove(HttpServerCodec.class);
            return;
        }
        pipeline.addLast(new WebSocketBytes(), handler);
        pipeline.remove(this);
        new WebSocketServerHandshaker13(request.uri(), null, false, WebSocketBytes.FRAME_MAX)
                .handshake(channel, request)
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    // ------------------------------------------------------------------ answers

    private void refuse(Channel channel, Refused refused) {
        service.counters().add(refused.status() == Refused.UNAUTHORIZED ? Name.UNAUTHORIZED : Name.REFUSED, 1);
        releaseWaiting();
        FullHttpResponse response = response(refused.status(), "text/plain; charset=utf-8", refused.reason() + "\n");
        if (refused.status() == Refused.UNAUTHORIZED) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Basic realm=\"tutti rendezvous\", charset=\"UTF-8\"");
        }
        send(channel, response);
    }

    private void answer(Channel channel, int status, String type, String text) {
        send(channel, response(status, type, text));
    }

    /** Sends an answer and closes the connection, after a while in any case: a client that does not read it holds no memory for long. */
    private void send(Channel channel, FullHttpResponse whole) {
        FullHttpResponse response = whole;
        int bytes = response.content().readableBytes();
        if (!service.answers().reserve(bytes)) {
            service.counters().add(Name.ANSWERS_DROPPED, 1);
            response.release();
            response = response(Refused.UNAVAILABLE, "text/plain", "too many answers of the server were not read; ask again later\n");
            bytes = 0;
        }
        int reserved = bytes;
        Future<?> end = channel.eventLoop().schedule(() -> onTooSlow(channel), service.stallNanos(), TimeUnit.NANOSECONDS);
        channel.writeAndFlush(response).addListener(_ -> {
            service.answers().release(reserved);
            end.cancel(false);
            channel.close();
        });
    }

    private void onTooSlow(Channel channel) {
        service.counters().add(Name.TOO_SLOW, 1);
        channel.close();
    }

    private static FullHttpResponse response(int status, String type, String text) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set("X-Content-Type-Options", "nosniff")
                .set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
        return response;
    }

    private static String host(Channel channel) {
        return Origins.of(channel.remoteAddress());
    }

    private static String remote(Channel channel) {
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        return remote == null ? "?" : remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }

    private void releaseWaiting() {
        if (waiting != null) {
            waiting.release();
            waiting = null;
        }
        if (pair != null) {
            service.registry().end(pair);
            pair = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stopDeadline();
        releaseWaiting();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
