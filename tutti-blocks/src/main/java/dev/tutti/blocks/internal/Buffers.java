package dev.tutti.blocks.internal;

import dev.tutti.blocks.codec.ByteOutput;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Outputs that messages are written to before they are copied into a packet, used again and again: some, because many threads
 * write at a time; few, because who finds none makes one.
 */
public final class Buffers {

    private static final int COUNT = 8;

    /** A longer one is for the garbage collector. */
    private static final int KEPT_BYTES_MAX = 64 * 1024;

    private final AtomicReferenceArray<@Nullable ByteOutput> free = new AtomicReferenceArray<>(COUNT);

    private static int first() {
        return (int) (Thread.currentThread().threadId() & (COUNT - 1));
    }

    /** An empty one, which up to {@code lengthMax} bytes may be put into. */
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

    /** What is not given back is for the garbage collector. */
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
