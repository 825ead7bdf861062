package dev.tutti.internal.delivery;

import dev.tutti.Threads;
import dev.tutti.core.Member;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks of a group that are running now: the delivery thread's, and those of messages in scopes and out of band.
 *
 * <p>Written by the threads that call, read by any.
 */
public final class Calls {

    /** Callbacks of one thread, one at a time. */
    static final class Call {
        private volatile @Nullable Thread thread;
        private @Nullable Member sender;
        private long sinceNanos;

        /** Name of the running callback; null while none runs. Written last, read first. */
        private volatile @Nullable String callback;

        /** Makes the current thread the one that runs the callbacks. */
        void enter() {
            thread = Thread.currentThread();
        }

        void begin(String name, @Nullable Member from, long nowNanos) {
            sender = from;
            sinceNanos = nowNanos;
            callback = name;
        }

        void end() {
            callback = null;
        }
    }

    /**
     * A callback that has not returned.
     *
     * @param sender sender of the packet or message that it is called for; null if it is not called for one
     * @param sinceNanos time of the call, by {@link Threads#nanoTime}; for messages, the time when the first of their
     *     packet was passed on
     * @param isAside whether it runs on another thread than the delivery thread
     */
    public record Running(String callback, @Nullable Member sender, long sinceNanos, boolean isAside) {}

    private final Call delivery = new Call();
    private final Set<Call> aside = ConcurrentHashMap.newKeySet();

    /** Returns the call of the delivery thread. */
    Call delivery() {
        return delivery;
    }

    /** Returns a new call for the current thread, to be {@linkplain #close closed}. */
    Call open() {
        Call call = new Call();
        call.enter();
        aside.add(call);
        return call;
    }

    void close(Call call) {
        aside.remove(call);
    }

    /** Returns whether {@code thread} is in a callback of this group. */
    boolean isIn(Thread thread) {
        if (isDelivering(thread)) {
            return true;
        }
        for (Call call : aside) {
            if (call.thread == thread && call.callback != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether {@code thread} is the delivery thread, in a callback. */
    boolean isDelivering(Thread thread) {
        return delivery.thread == thread && delivery.callback != null;
    }

    /** Returns the callback that has been running for longest; null if none runs. */
    @Nullable Running longest() {
        Running longest = running(delivery, false);
        for (Call call : aside) {
            Running running = running(call, true);
            if (running != null && (longest == null || running.sinceNanos() - longest.sinceNanos() < 0)) {
                longest = running;
            }
        }
        return longest;
    }

    private static @Nullable Running running(Call call, boolean isAside) {
        String callback = call.callback;
        return callback == null ? null : new Running(callback, call.sender, call.sinceNanos, isAside);
    }
}
