package dev.tutti.stomp.internal.session;

import dev.tutti.internal.door.Hosts;
import dev.tutti.stomp.Pages.Page;
import dev.tutti.stomp.internal.codec.StompFault;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Inspects the first byte of a connection: {@code G} begins a WebSocket handshake, and no command of STOMP. */
final class Detection extends ChannelInboundHandlerAdapter {

    static final String NAME = "detection";

    private static final int REQUEST_LINE_MAX = 2_048;
    private static final int REQUEST_HEADERS_MAX = 8_192;

    private final Hub hub;
    private final StompConnection connection;

    Detection(Hub hub, StompConnection connection) {
        this.hub = hub;
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes && bytes.isReadable()) {
            ChannelPipeline pipeline = ctx.pipeline();
            if (bytes.getByte(bytes.readerIndex()) == 'G') {
                addWebSocket(pipeline);
            }
            pipeline.remove(this);
            // The next handlers may have been added just now, at this handler's place.
            ctx.fireChannelRead(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private void addWebSocket(ChannelPipeline pipeline) {
        Options options = hub.options();
        HttpDecoderConfig http = new HttpDecoderConfig()
                .setMaxInitialLineLength(REQUEST_LINE_MAX)
                .setMaxHeaderSize(REQUEST_HEADERS_MAX);
        long frameBytesMax = (long) options.frames().bodyBytesMax() + options.frames().headBytesMax() + 1;
        WebSocketServerProtocolConfig webSocket = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/")
                .checkStartsWith(true)
                .subprotocols("v12.stomp,v11.stomp,v10.stomp")
                .handshakeTimeoutMillis(TimeUnit.NANOSECONDS.toMillis(options.times().connectTimeoutNanos()))
                .decoderConfig(WebSocketDecoderConfig.newBuilder()
                        .maxFramePayloadLength((int) Math.min(frameBytesMax, Integer.MAX_VALUE))
                        // Headers are checked by the parser; bodies may hold anything.
                        .withUTF8Validator(false)
                        .build())
                .build();
        pipeline.addAfter(NAME, "meter", new Meter());
        pipeline.addAfter("meter", "http-codec", new HttpServerCodec(http));
        pipeline.addAfter("http-codec", "http-whole", new HttpObjectAggregator(1_024));
        pipeline.addAfter("http-whole", "http-request", new Request());
        pipeline.addAfter("http-request", "web-socket", new WebSocketServerProtocolHandler(webSocket));
    }

    /** Counts bytes on their way into a decoder that holds them until a frame is whole. */
    private final class Meter extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof ByteBuf bytes) {
                connection.onEnclosed(bytes.readableBytes());
            }
            ctx.fireChannelRead(message);
        }
    }

    /**
     * Accepts a WebSocket request from an allowed origin, and answers all other requests. Afterwards it reports each
     * complete frame, of whatever kind.
     */
    private final class Request extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!(message instanceof FullHttpRequest request)) {
                if (message instanceof WebSocketFrame frame) {
                    connection.onEnclosed(-bytesOf(frame));
                }
                ctx.fireChannelRead(message);
                return;
            }
            boolean isWebSocket = request.decoderResult().isSuccess()
                    && request.method().equals(HttpMethod.GET)
                    && request.headers().containsValue(HttpHeaderNames.UPGRADE, "websocket", true);
            String origin = request.headers().get(HttpHeaderNames.ORIGIN);
            String host = request.headers().get(HttpHeaderNames.HOST);
            Page page = isWebSocket || !request.decoderResult().isSuccess() ? null : hub.pages().page(request.uri());
            if (!hub.hosts().isAllowed(host)) {
                request.release();
                hub.counters().increment(Counter.REQUESTS_FOREIGN_HOST);
                refuse(ctx, HttpResponseStatus.MISDIRECTED_REQUEST, "This server is not known by this name. Connect to"
                        + " localhost or an address, or add the name to stomp.hosts.\n");
            } else if (page != null) {
                request.release();
                answer(ctx, HttpResponseStatus.OK, page);
            } else if (!isWebSocket) {
                request.release();
                refuse(ctx, HttpResponseStatus.UPGRADE_REQUIRED, "Here is STOMP, over TCP and WebSocket.\n");
            } else if (!isAllowed(origin, host, hub.origins())) {
                request.release();
                refuse(ctx, HttpResponseStatus.FORBIDDEN, "Pages of this origin may not connect (stomp.origins).\n");
            } else {
                connection.onEnclosed(Long.MIN_VALUE);
                ctx.fireChannelRead(message);
            }
        }

        /** Returns the size of a client's frame on the wire (RFC 6455, 5.2): its header, mask and content. */
        private static long bytesOf(WebSocketFrame frame) {
            int length = frame.content().readableBytes();
            return length + 6L + (length < 126 ? 0 : length < 1 << 16 ? 2 : 8);
        }

        private void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String text) {
            hub.counters().increment(StompFault.TRANSPORT);
            answer(ctx, status, new Page("text/plain", text.getBytes(StandardCharsets.US_ASCII)));
        }

        private void answer(ChannelHandlerContext ctx, HttpResponseStatus status, Page page) {
            byte[] body = page.body();
            DefaultFullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, page.contentType())
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                    .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                    .set("x-content-type-options", "nosniff")
                    .set("referrer-policy", "no-referrer")
                    .set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*")
                    .set(HttpHeaderNames.CONNECTION, "close");
            if (status.equals(HttpResponseStatus.UPGRADE_REQUIRED)) {
                response.headers().set(HttpHeaderNames.UPGRADE, "websocket");
            }
            ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /**
     * Returns whether a page may connect. A browser sends a page's origin; a client without one is no page. This keeps
     * pages of other origins from connecting through a user's browser.
     */
    static boolean isAllowed(@Nullable String origin, @Nullable String host, List<String> allowed) {
        if (origin == null || allowed.contains("*") || allowed.contains(origin)) {
            return true;
        }
        return Hosts.isOwn(origin, host);
    }
}
