package dev.tutti.protocols.packing;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Arrays of large messages that were delivered or sent, kept for the next ones, since a new megabyte for each would
 * have to be zeroed and collected. Beyond a bound the array that was used longest ago is given up. Not thread-safe:
 * sharing requires a lock.
 */
public class SpareArrays {

    private static final long SPARE_BYTES_MIN = 1 << 20;
    private static final long SPARE_BYTES_MAX = 16 << 20;

    private final long bytesMax;

    /** Arrays, last used first, since that one is the likeliest to be in a cache of the CPU. */
    private final ArrayDeque<byte[]> spares = new ArrayDeque<>();

    private long bytes;

    /** @param bytesMax bytes of all arrays kept; 0 keeps none */
    public SpareArrays(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns the bytes that may be kept of a heap of this size: a thirty-second of it, 1 to 16 MiB. */
    public static long bytesOf(long heapBytes) {
        return Math.clamp(heapBytes / 32, SPARE_BYTES_MIN, SPARE_BYTES_MAX);
    }

    /** Takes the shortest array of at least {@code length} bytes, with any content; null if there is none. */
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

    /** Keeps an array that nobody reads or writes any more. */
    public void give(byte[] array) {
        spares.addFirst(array);
        bytes += array.length;
        while (bytes > bytesMax) {
            bytes -= spares.removeLast().length;
        }
    }

    /** Returns the bytes that are kept. */
    public long bytes() {
        return bytes;
    }
}
