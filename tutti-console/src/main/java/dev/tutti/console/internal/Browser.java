package dev.tutti.console.internal;

import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.internal.Logs;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * A page that is kept up to date by server-sent events. One that reads slowly misses figures, which the next ones
 * replace; events are never skipped: if there is no room for them, it is disconnected and starts anew. State is
 * accessed on the connection's loop; the methods that begin with {@code push} may be called from any thread.
 */
final class Browser {

    private static final Logger LOG = Logs.of(Browser.class);

    /** Time after which a browser that reads nothing is disconnected. */
    private static final long STALL_NANOS_MAX = TimeUnit.SECONDS.toNanos(15);

    /** Most events that wait for room. */
    private static final int WAITING_MAX = 256;

    private final Channel channel;
    private final BooleanSupplier mayStay;
    private final CounterTable counters;
    private final Queue<String> waiting = new ArrayDeque<>();
    private long stalledNanos;
    private boolean isStalled;
    private boolean isEnded;

    /** @param mayStay returns whether the log-in of the page is still valid */
    Browser(Channel channel, BooleanSupplier mayStay, CounterTable counters) {
        this.channel = channel;
        this.mayStay = mayStay;
        this.counters = counters;
    }

    void start(Map<String, String> headers) {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        headers.forEach(response.headers()::set);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream; charset=utf-8")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        channel.writeAndFlush(response);
    }

    /** Sends figures; a browser without room misses them. */
    void pushFigures(String event) {
        onLoop(() -> {
            if (channel.isWritable() && waiting.isEmpty()) {
                write(event);
            } else {
                counters.increment(Counter.FIGURES_SKIPPED);
                checkStall();
            }
        });
    }

    /** Sends an event: in order, and never skipped. */
    void push(String event) {
        onLoop(() -> {
            if (channel.isWritable() && waiting.isEmpty()) {
                write(event);
            } else if (waiting.size() < WAITING_MAX) {
                waiting.add(event);
                checkStall();
            } else {
                drop();
            }
        });
    }

    boolean isOpen() {
        return channel.isActive();
    }

    /** Sends waiting events: there is room again. */
    void onRoom() {
        isStalled = false;
        while (channel.isWritable() && !waiting.isEmpty()) {
            write(waiting.remove());
        }
    }

    private void onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(() -> {
                // A page whose log-in is over gets nothing more.
                if (mayStay.getAsBoolean()) {
                    task.run();
                } else {
                    end();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the console has closed before a page was told");
        }
    }

    /** Ends the response as HTTP wants it: browsers report one that breaks off as an error. */
    private void end() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        waiting.clear();
        if (channel.isWritable()) {
            channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
        } else {
            channel.close();
        }
    }

    private void checkStall() {
        long nowNanos = System.nanoTime();
        if (!isStalled) {
            isStalled = true;
            stalledNanos = nowNanos;
        } else if (nowNanos - stalledNanos > STALL_NANOS_MAX) {
            drop();
        }
    }

    private void drop() {
        counters.increment(Counter.BROWSERS_TOO_SLOW);
        waiting.clear();
        channel.close();
    }

    private void write(String event) {
        channel.writeAndFlush(new DefaultHttpContent(ByteBufUtil.writeUtf8(channel.alloc(), event)));
    }

    /** Returns an event in its wire format; {@code json} contains no line feed. */
    static String event(String name, String json) {
        return "event: " + name + "\ndata: " + json + "\n\n";
    }
}
