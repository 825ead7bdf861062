package dev.tutti.blocks.internal;

import dev.tutti.blocks.codec.ByteOutput;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Reusable outputs for messages before they are copied into a packet. There are several, because many threads write at
 * a time; few suffice, because a thread that finds none creates one.
 */
public final class Buffers {

    private static final int COUNT = 8;

    /** Size above which an output is left to the garbage collector. */
    private static final int KEPT_BYTES_MAX = 64 * 1024;

    private final AtomicReferenceArray<@Nullable ByteOutput> free = new AtomicReferenceArray<>(COUNT);

    private static int first() {
        return (int) (Thread.currentThread().threadId() & (COUNT - 1));
    }

    /** Returns an empty output for up to {@code lengthMax} bytes. */
    public ByteOutput take(long lengthMax) {
        int first = first();
        for (int index = 0; index < COUNT; index++) {
            int at = first + index & COUNT - 1;
            ByteOutput found = free.getPlain(at);
            if (found != null && free.compareAndSet(at, found, null)) {
                return found.reset(lengthMax);
            }
        }
        return new ByteOutput().reset(lengthMax);
    }

    /** Takes an output back; one that is not given back is left to the garbage collector. */
    public void giveBack(ByteOutput output) {
        if (output.array().length > KEPT_BYTES_MAX) {
            return;
        }
        int first = first();
        for (int index = 0; index < COUNT; index++) {
            if (free.compareAndSet(first + index & COUNT - 1, null, output)) {
                return;
            }
        }
    }
}
