package dev.tutti.balancer.internal.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a client's connection, one after the other, or the one request of a stream of HTTP/2. Requests that come before the
 * answer to the one before wait; when many do, nothing more is read. On the connection's loop.
 */
final class Front extends ChannelInboundHandlerAdapter {

    /** Messages that wait before reading stops. One read adds no more than its bytes hold. */
    private static final int WAITING_MAX = 16;

    private final Proxy proxy;
    private final Lane lane;
    private final Client client;
    private final Channel channel;
    private final boolean isHttp2;
    private final ArrayDeque<HttpObject> waiting = new ArrayDeque<>(0);
    private @Nullable Exchange exchange;
    private boolean isKeptAlive;
    private boolean isReading;
    private boolean isClosing;
    private boolean isServing;

    Front(Proxy proxy, Lane lane, Client client, Channel channel, boolean isHttp2) {
        this.proxy = proxy;
        this.lane = lane;
        this.client = client;
        this.channel = channel;
        this.isHttp2 = isHttp2;
    }

    boolean isHttp2() {
        return isHttp2;
    }

    Client client() {
        return client;
    }

    /** Returns whether a batch of bytes is being read, at whose end its parts are flushed. */
    boolean isReading() {
        return isReading;
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    // ------------------------------------------------------------------ requests

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        isReading = true;
        if (message instanceof ByteBuf bytes) {
            Exchange piped = exchange;
            if (piped == null) {
                bytes.release();
            } else {
                piped.onClientBytes(bytes);
            }
            return;
        }
        if (!(message instanceof HttpObject object) || isClosing) {
            ReferenceCountUtil.release(message);
            return;
        }
        boolean isNext = exchange != null && object instanceof HttpRequest;
        if (isNext || !waiting.isEmpty()) {
            waiting.add(object);
            if (waiting.size() >= WAITING_MAX) {
                mayRead(false);
            }
            return;
        }
        take(object);
    }

    private void take(HttpObject object) {
        if (object instanceof HttpRequest request) {
            client.onBegin();
            isKeptAlive = !isHttp2 && HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
            Exchange begun = new Exchange(proxy, lane, this, request);
            exchange = begun;
            begun.begin();
        }
        if (object instanceof HttpContent content) {
            Exchange of = exchange;
            if (of == null) {
                // The rest of a request that was refused.
                content.release();
            } else {
                // A request that came whole is its own body, and must not be sent as a request again.
                of.onContent(object instanceof HttpRequest ? new DefaultLastHttpContent(content.content()) : content);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        isReading = false;
        Exchange of = exchange;
        if (of != null) {
            of.flush();
        }
    }

    void mayRead(boolean mayRead) {
        boolean isWanted = mayRead && waiting.size() < WAITING_MAX;
        if (channel.config().isAutoRead() != isWanted) {
            channel.config().setAutoRead(isWanted);
        }
    }

    // ------------------------------------------------------------------ answers

    void onContinue() {
        channel.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }

    /** @param isLast whether the connection ends with this answer */
    void onAnswer(HttpResponse answer, boolean isLast) {
        Exchange of = exchange;
        if (!isHttp2 && of != null) {
            isKeptAlive &= !isLast && of.isRequestEnded();
            if (!isKeptAlive) {
                answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            } else if (!of.request().protocolVersion().isKeepAliveDefault()) {
                answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
            }
        }
        // A full answer would end the stream here; its body comes by itself.
        write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, answer.status(), answer.headers()));
    }

    void write(Object message) {
        channel.write(message, channel.voidPromise());
    }

    void flush() {
        channel.flush();
    }

    /**
     * Answers in place of a node.
     *
     * @return the length of the answer
     */
    int refuse(int code, String reason) {
        Exchange of = exchange;
        HttpMethod method = of == null ? HttpMethod.GET : of.request().method();
        byte[] text = (code + " " + HttpResponseStatus.valueOf(code).reasonPhrase() + ": " + reason + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuf body = method.equals(HttpMethod.HEAD) ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(text);
        FullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(code), body);
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, text.length)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        if (code == 503) {
            answer.headers().set(HttpHeaderNames.RETRY_AFTER, "1");
        }
        if (!isHttp2) {
            isKeptAlive &= of != null && (of.isRequestEnded() || !hasBody(of.request())) && code != 400 && code != 431 && code != 414;
            if (!isKeptAlive) {
                answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            }
        }
        channel.writeAndFlush(answer);
        return text.length;
    }

    private static boolean hasBody(HttpRequest request) {
        return request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING) || HttpUtil.getContentLength(request, 0L) > 0;
    }

    /** Answers that the protocol changes, and lets bytes pass as they are from now on. */
    void becomePipe(HttpResponse head) {
        HttpResponse answer = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, head.headers());
        channel.write(answer);
        channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.remove(HttpServerCodec.class);
    }

    /** Goes on with the next request, or closes the connection. */
    void onEnd(Exchange ended) {
        if (exchange != ended) {
            return;
        }
        exchange = null;
        client.onEnd();
        flush();
        if (isHttp2) {
            if (!ended.isRequestEnded() && channel.isActive()) {
                closeAfterFlush();
            }
            return;
        }
        if (!isKeptAlive) {
            closeAfterFlush();
            return;
        }
        serveWaiting();
    }

    private void serveWaiting() {
        if (isServing) {
            return;
        }
        isServing = true;
        try {
            while (!waiting.isEmpty() && !isClosing && (exchange == null || !(waiting.peekFirst() instanceof HttpRequest))) {
                HttpObject next = waiting.pollFirst();
                if (next != null) {
                    take(next);
                }
            }
        } finally {
            isServing = false;
        }
        if (!isClosing) {
            mayRead(true);
        }
        Exchange of = exchange;
        if (of != null && !isReading) {
            of.flush();
        }
    }

    private void closeAfterFlush() {
        isClosing = true;
        if (isHttp2) {
            // The stream is reset: its request was not read to the end.
            channel.flush();
            channel.close();
            return;
        }
        // The rest of the request is read and dropped for a moment, since closing at once would reset the answer.
        mayRead(true);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> proxy.closeSoon(channel));
    }

    void close() {
        isClosing = true;
        channel.close();
    }

    // ------------------------------------------------------------------ end

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        Exchange of = exchange;
        if (of != null && channel.isWritable()) {
            of.onClientWritable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        isClosing = true;
        Exchange of = exchange;
        if (of != null) {
            of.onClientGone();
        }
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
