package dev.tutti.grid.mediator;

import dev.tutti.look.Assets.Asset;
import dev.tutti.look.Assets;
import dev.tutti.grid.internal.door.RefusedException;
import dev.tutti.grid.internal.page.PageFiles;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.internal.door.Places.Place;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker13;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection with one request, which is answered, or upgraded to the WebSocket of a client. On the connection's loop. */
final class Front extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final long REQUEST_SECONDS_MAX = 10;
    private static final long ANSWER_SECONDS_MAX = 75;

    private final Service service;
    private final Place place;
    private final Intake intake;
    private @Nullable Future<?> deadline;
    private boolean isAsked;

    Front(Service service, Place place, Intake intake) {
        this.intake = intake;
        this.service = service;
        this.place = place;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        deadline = context.executor().schedule(() -> context.channel().close(), REQUEST_SECONDS_MAX, TimeUnit.SECONDS);
    }

    private void stopDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (isAsked) {
            // There is one request to a connection.
            context.close();
            return;
        }
        isAsked = true;
        stopDeadline();
        place.onBusy();
        service.counters().requests.increment();
        Channel channel = context.channel();
        try {
            serve(channel, request);
        } catch (RefusedException e) {
            refuse(channel, e);
        }
    }

    private void serve(Channel channel, FullHttpRequest request) throws RefusedException {
        if (request.decoderResult().isFailure()) {
            throw new RefusedException(400, "the request is malformed or too long");
        }
        String path = new QueryStringDecoder(request.uri()).rawPath();
        switch (path) {
            case "/health/live" -> answer(channel, 200, "text/plain", "live\n");
            case "/health/ready" -> {
                String trouble = service.trouble();
                answer(channel, trouble.isEmpty() ? 200 : 503, "text/plain", (trouble.isEmpty() ? "ready" : trouble) + "\n");
            }
            default -> {
                service.doorkeeper().check(channel, request.headers());
                serveAllowed(channel, request, path);
            }
        }
    }

    private void serveAllowed(Channel channel, FullHttpRequest request, String path) throws RefusedException {
        String trouble = service.trouble();
        if (!trouble.isEmpty() && !path.equals("/metrics")) {
            throw new RefusedException(503, trouble);
        }
        switch (path) {
            case "/metrics" -> answer(channel, 200, "text/plain; version=0.0.4", service.metrics());
            case "/v1/grid" -> upgrade(channel, request);
            default -> {
                if (PageFiles.knows(path)) {
                    showFile(channel, request, path);
                    return;
                }
                if (!JsonDoor.knows(path)) {
                    throw new RefusedException(404, "there is nothing at " + path);
                }
                answerLater(channel, request, path);
            }
        }
    }

    private void showFile(Channel channel, FullHttpRequest request, String path) throws RefusedException {
        Asset file = service.files().find(path);
        if (file == null) {
            throw new RefusedException(404, "there is nothing at " + path);
        }
        if (!request.method().equals(HttpMethod.GET)) {
            throw new RefusedException(405, path + " is asked with GET");
        }
        boolean isKnown = file.tag().equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH));
        FullHttpResponse response = response(isKnown ? 304 : 200, file.type(), Unpooled.wrappedBuffer(isKnown ? new byte[0] : file.content()));
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-cache").set(HttpHeaderNames.ETAG, file.tag());
        send(channel, response);
    }

    /** Answers on a thread of its own: other members may have to be asked. */
    private void answerLater(Channel channel, FullHttpRequest request, String path) throws RefusedException {
        if (!service.requests().tryAcquire()) {
            throw new RefusedException(503, "too many requests are being answered; ask again later");
        }
        String method = request.method().name();
        String body = request.content().toString(StandardCharsets.UTF_8);
        QueryStringDecoder query = new QueryStringDecoder(request.uri());
        Thread.ofVirtual().name("tutti-mediator-request").start(() -> {
            FullHttpResponse response;
            try {
                String answer = service.json().answer(method, path, query.parameters(), body);
                if (answer.length() > service.answerBytesMax()) {
                    throw new RefusedException(503, "the answer has " + answer.length() + " characters, and at most " + service.answerBytesMax()
                            + " are sent; ask for less");
                }
                response = response(200, "application/json", answer + "\n");
            } catch (RefusedException e) {
                service.counters().refused.increment();
                response = response(e.status(), "text/plain; charset=utf-8", e.reason() + "\n");
            } catch (RuntimeException e) {
                response = response(500, "text/plain; charset=utf-8", "the request has failed: " + e + "\n");
            } finally {
                // Not when the client goes: the question is asked until it is answered.
                service.requests().release();
            }
            FullHttpResponse whole = response;
            channel.eventLoop().execute(() -> {
                intake.onConsumed();
                Parcel _ = new Parcel(service.sending(), service.counters(), channel, whole.content().readableBytes());
                send(channel, whole);
            });
        });
    }

    private void upgrade(Channel channel, FullHttpRequest request) throws RefusedException {
        HttpHeaders headers = request.headers();
        if (!request.method().equals(HttpMethod.GET) || !headers.get(HttpHeaderNames.UPGRADE, "").equalsIgnoreCase("websocket")) {
            throw new RefusedException(426, "this is a WebSocket: ask with Upgrade: websocket");
        }
        boolean isComplete = WebSocketVersion.V13.toHttpHeaderValue().equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))
                && headers.contains(HttpHeaderNames.SEC_WEBSOCKET_KEY);
        if (!isComplete) {
            throw new RefusedException(400, "WebSockets are opened with Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key");
        }
        intake.onConsumed();
        place.onResident();
        // A token may be withdrawn while its client is connected.
        HttpHeaders shown = new DefaultHttpHeaders();
        for (CharSequence name : List.of(HttpHeaderNames.HOST, HttpHeaderNames.ORIGIN, HttpHeaderNames.AUTHORIZATION)) {
            shown.set(name, headers.getAll(name));
        }
        Session.Admission admission = () -> service.doorkeeper().check(channel, shown);
        Outbox outbox = new Outbox(channel, service.settings().queueBytes(), service.sending(), service.counters());
        new WebSocketServerHandshaker13(request.uri(), null, false, ClientMessage.CLIENT_BYTES_MAX)
                .handshake(channel, request)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        channel.close();
                        return;
                    }
                    // Only now are frames what the connection takes.
                    channel.pipeline()
                            .addLast(
                                    new WebSocketFrameAggregator(ClientMessage.CLIENT_BYTES_MAX),
                                    new Session(service, admission, intake, outbox));
                    channel.pipeline().remove(this);
                });
    }

    private void refuse(Channel channel, RefusedException refused) {
        (refused.status() == 401 ? service.counters().unauthorized : service.counters().refused).increment();
        FullHttpResponse response = response(refused.status(), "text/plain; charset=utf-8", refused.reason() + "\n");
        if (refused.status() == 401) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Basic realm=\"tutti mediator\", charset=\"UTF-8\"");
        }
        send(channel, response);
    }

    private static void answer(Channel channel, int status, String type, String text) {
        send(channel, response(status, type, text));
    }

    /** Sends an answer and closes the connection, after a while in any case: a client that does not read it holds no memory for long. */
    private static void send(Channel channel, FullHttpResponse response) {
        Future<?> end = channel.eventLoop().schedule(() -> channel.close(), ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
        channel.writeAndFlush(response).addListener(_ -> {
            end.cancel(false);
            channel.close();
        });
    }

    private static FullHttpResponse response(int status, String type, String text) {
        return response(status, type, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private static FullHttpResponse response(int status, String type, ByteBuf content) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), content);
        // Answers of any kind may be opened in a browser.
        Assets.HEADERS.forEach(response.headers()::set);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        return response;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stopDeadline();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
