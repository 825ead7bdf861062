package dev.tutti.grid.bridges.internal.door;

import dev.tutti.grid.internal.door.Doorkeeper;
import dev.tutti.grid.internal.door.RefusedException;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Bounds what the requests of a server hold, and has them answered. Shared by its connections. Thread-safe. */
final class Desk {

    /** Most bytes of a body. */
    static final int BODY_BYTES_MAX = 4 << 20;

    /** Most bytes of bodies that have come in part, or are being answered. */
    private static final int BYTES_MAX = 64 << 20;

    /** Most requests that are answered at a time. */
    private static final int ANSWERS_MAX = 16;

    private final Doorkeeper doorkeeper;
    private final Function<Call, Reply> service;
    private final Semaphore answers = new Semaphore(ANSWERS_MAX);
    private final Semaphore bytes = new Semaphore(BYTES_MAX);
    private final LongAdder requests = new LongAdder();
    private final LongAdder refused = new LongAdder();

    Desk(Doorkeeper doorkeeper, Function<Call, Reply> service) {
        this.doorkeeper = doorkeeper;
        this.service = service;
    }

    /** Returns the answer to those who may not ask; null if they may. */
    @Nullable Reply refusal(Channel channel, HttpHeaders headers) {
        requests.increment();
        try {
            doorkeeper.check(channel, headers);
            return null;
        } catch (RefusedException e) {
            return Reply.text(e.status(), e.reason());
        }
    }

    boolean tryReserve(int count) {
        return bytes.tryAcquire(count);
    }

    void release(int count) {
        bytes.release(count);
    }

    /** Answers on a thread of its own. Returns false if too many are being answered. */
    boolean answerLater(Call call, Consumer<Reply> sink) {
        if (!answers.tryAcquire()) {
            return false;
        }
        Thread.ofVirtual().name("tutti-bridge-request").start(() -> {
            Reply reply;
            try {
                reply = service.apply(call);
            } catch (RuntimeException e) {
                reply = Reply.text(500, "the request has failed: " + e);
            } finally {
                answers.release();
            }
            sink.accept(reply);
        });
        return true;
    }

    void onRefused() {
        refused.increment();
    }

    long requests() {
        return requests.sum();
    }

    long refused() {
        return refused.sum();
    }
}
