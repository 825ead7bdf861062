package dev.tutti.grid.bridges.internal.door;

import dev.tutti.internal.door.Places.Place;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection, whose requests are answered one after the other. Who may not ask is told so before the body is read, and the connection
 * ends. On the connection's loop.
 */
final class Visit extends SimpleChannelInboundHandler<HttpObject> {

    private static final long REQUEST_SECONDS_MAX = 30;
    /** Time for reading an answer, and for the next request: exporters come each minute. */
    private static final long ANSWER_SECONDS_MAX = 180;

    private static final long LINGER_SECONDS = 1;

    private final Desk desk;
    private final Place place;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable Future<?> deadline;
    private @Nullable HttpRequest request;
    private int reserved;
    private boolean isAnswering;
    private boolean isOver;

    Visit(Desk desk, Place place) {
        this.desk = desk;
        this.place = place;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        setDeadline(context.channel(), REQUEST_SECONDS_MAX);
    }

    private void setDeadline(Channel channel, long seconds) {
        stopDeadline();
        deadline = channel.eventLoop().schedule(() -> channel.close(), seconds, TimeUnit.SECONDS);
    }

    private void stopDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (isOver) {
            return;
        }
        Channel channel = context.channel();
        if (part.decoderResult().isFailure()) {
            refuse(channel, Reply.text(400, "the request is malformed or too long"));
            return;
        }
        if (part instanceof HttpRequest begun) {
            begin(channel, begun);
        }
        HttpRequest open = request;
        if (part instanceof HttpContent content && !isOver && open != null) {
            add(channel, content.content());
            if (part instanceof LastHttpContent && !isOver) {
                answer(channel, open);
            }
        }
    }

    private void begin(Channel channel, HttpRequest begun) {
        if (isAnswering) {
            refuse(channel, Reply.text(400, "a request has to wait for the answer to the one before"));
            return;
        }
        place.onBusy();
        setDeadline(channel, REQUEST_SECONDS_MAX);
        request = begun;
        Reply refusal = desk.refusal(channel, begun.headers());
        if (refusal == null && HttpUtil.getContentLength(begun, 0L) > Desk.BODY_BYTES_MAX) {
            refusal = tooLarge();
        }
        if (refusal != null) {
            refuse(channel, refusal);
        } else if (HttpUtil.is100ContinueExpected(begun)) {
            channel.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
    }

    private static Reply tooLarge() {
        return Reply.text(413, "a body has at most " + Desk.BODY_BYTES_MAX + " bytes; send less at a time");
    }

    private void add(Channel channel, ByteBuf content) {
        int length = content.readableBytes();
        if (body.size() + length > Desk.BODY_BYTES_MAX) {
            refuse(channel, tooLarge());
        } else if (!desk.tryReserve(length)) {
            refuse(channel, busy());
        } else {
            reserved += length;
            byte[] bytes = new byte[length];
            content.readBytes(bytes);
            body.writeBytes(bytes);
        }
    }

    private static Reply busy() {
        Reply text = Reply.text(503, "too many requests are being answered; ask again later");
        return new Reply(text.status(), text.type(), text.body(), 1);
    }

    private void answer(Channel channel, HttpRequest whole) {
        isAnswering = true;
        stopDeadline();
        HttpHeaders headers = whole.headers();
        String type = headers.get(HttpHeaderNames.CONTENT_TYPE, "");
        int parameters = type.indexOf(';');
        Call call = new Call(
                whole.method().name(),
                new QueryStringDecoder(whole.uri()).rawPath(),
                (parameters < 0 ? type : type.substring(0, parameters)).strip().toLowerCase(Locale.ROOT),
                headers.get(HttpHeaderNames.CONTENT_ENCODING, "").strip().toLowerCase(Locale.ROOT),
                body.toByteArray());
        boolean isKept = HttpUtil.isKeepAlive(whole);
        body.reset();
        if (!desk.answerLater(call, reply -> channel.eventLoop().execute(() -> finish(channel, reply, isKept)))) {
            refuse(channel, busy());
        }
    }

    private void finish(Channel channel, Reply reply, boolean isKept) {
        release();
        if (isOver) {
            return;
        }
        isAnswering = false;
        request = null;
        isOver = !isKept;
        send(channel, reply, isKept);
        if (isKept) {
            place.onIdle();
        }
    }

    private void refuse(Channel channel, Reply reply) {
        desk.onRefused();
        isOver = true;
        release();
        send(channel, reply, false);
        // What the client still sends is read and thrown away: it would lose the answer if the socket were closed on it.
        setDeadline(channel, LINGER_SECONDS);
    }

    private void release() {
        desk.release(reserved);
        reserved = 0;
    }

    /** Sends an answer. The connection ends with it, unless it is kept, and in any case after a while without anything more. */
    private void send(Channel channel, Reply reply, boolean isKept) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), Unpooled.wrappedBuffer(reply.body()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, reply.type())
                .set(HttpHeaderNames.CONTENT_LENGTH, reply.body().length)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set("X-Content-Type-Options", "nosniff");
        if (!isKept) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        if (reply.retrySeconds() > 0) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, reply.retrySeconds());
        }
        if (reply.status() == 401) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Basic realm=\"tutti bridge\", charset=\"UTF-8\"");
        }
        setDeadline(channel, ANSWER_SECONDS_MAX);
        boolean isAnswered = request == null;
        channel.writeAndFlush(response).addListener(_ -> {
            if (!isKept && isAnswered) {
                channel.close();
            }
        });
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stopDeadline();
        isOver = true;
        if (!isAnswering) {
            release();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
