package dev.tutti.protocols.packing;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory of large messages that were delivered or sent, kept for the next ones: a megabyte is otherwise zeroed, and
 * collected, for each. Up to a bound; beyond it the one that was used longest ago is given up. Not thread-safe; who shares one puts a lock
 * around it.
 */
public class SpareArrays {

    private static final long SPARE_BYTES_MIN = 1 << 20;
    private static final long SPARE_BYTES_MAX = 16 << 20;

    private final long bytesMax;

    /** The one that was used last comes first: it is the likeliest to be in a cache of the processor. */
    private final ArrayDeque<byte[]> spares = new ArrayDeque<>();

    private long bytes;

    /** @param bytesMax of arrays that are kept, together; 0 keeps none */
    public SpareArrays(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** How much of a heap of this size may be kept: a thirty-second of it, 1 to 16 MiB. */
    public static long bytesOf(long heapBytes) {
        return Math.clamp(heapBytes / 32, SPARE_BYTES_MIN, SPARE_BYTES_MAX);
    }

    /** The shortest array of at least {@code length} bytes, of any content; null if there is none. */
    public byte @Nullable [] take(long length) {
        byte[] best = null;
        for (byte[] spare : spares) {
            if (length <= spare.length && (best == null || spare.length < best.length)) {
                best = spare;
            }
        }
        if (best != null) {
            spares.removeFirstOccurrence(best);
            bytes -= best.length;
        }
        return best;
    }

    /** Takes an array that nobody reads or writes any more. */
    public void give(byte[] array) {
        spares.addFirst(array);
        bytes += array.length;
        while (bytes > bytesMax) {
            bytes -= spares.removeLast().length;
        }
    }

    /** Bytes that are kept. */
    public long bytes() {
        return bytes;
    }
}
