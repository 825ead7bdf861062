package dev.tutti.balancer.internal.proxy;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of a request: parts that wait for a connection, and a copy of a short one, by which the request can be sent again. On the loop
 * of its exchange.
 */
final class RequestBody {

    /** Bytes that are kept, so that the request can be sent again. */
    private static final long REPLAY_BYTES_MAX = 64 << 10;

    private final ArrayDeque<HttpContent> held = new ArrayDeque<>(2);
    private @Nullable List<HttpContent> replay;
    private long bytes;
    private boolean isEnded;

    /** Keeps a copy from now on, of a body that has not begun. */
    void keepCopy() {
        replay = new ArrayList<>(1);
    }

    /** Notes a part; the copy gets it, too. */
    void add(HttpContent content) {
        bytes += content.content().readableBytes();
        isEnded = content instanceof LastHttpContent;
        List<HttpContent> kept = replay;
        if (kept == null) {
            return;
        }
        if (bytes > REPLAY_BYTES_MAX) {
            dropCopy();
        } else {
            kept.add(content.retainedDuplicate());
        }
    }

    /** Lets a part wait for a connection. */
    void hold(HttpContent content) {
        held.add(content);
    }

    /** Returns the next part that waits; null if there is none. */
    @Nullable HttpContent poll() {
        return held.poll();
    }

    long bytes() {
        return bytes;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** Notes that the rest is not read. */
    void cut() {
        isEnded = false;
    }

    /** Returns whether all that has come can be sent again. */
    boolean isRepeatable() {
        return replay != null;
    }

    /** Lets all that has come wait for another connection. */
    void repeat() {
        List<HttpContent> kept = replay;
        if (kept != null) {
            kept.forEach(content -> held.add(content.retainedDuplicate()));
        }
    }

    void dropCopy() {
        List<HttpContent> kept = replay;
        replay = null;
        if (kept != null) {
            kept.forEach(ReferenceCountUtil::release);
        }
    }

    void release() {
        held.forEach(ReferenceCountUtil::release);
        held.clear();
        dropCopy();
    }
}
