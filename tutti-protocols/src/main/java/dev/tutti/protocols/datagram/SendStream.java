package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one direction as a stream of bytes, each frame after its length: kept until the other side has them.
 *
 * <p>Bytes are sent once in order; what is lost is sent again, what has arrived is not.
 */
final class SendStream {

    private @Nullable Packet[] frames = new Packet[16];
    private long[] starts = new long[16];
    private int first;
    private int count;

    /** Where the next frame begins. */
    private long end;

    private long nextUnsent;

    /** Everything before it has arrived. */
    private long arrivedBelow;

    private final Ranges arrived = new Ranges();
    private final Ranges lost = new Ranges();

    void append(Packet frame) {
        if (count == frames.length) {
            grow();
        }
        int slot = (first + count) & (frames.length - 1);
        frames[slot] = frame;
        starts[slot] = end;
        count++;
        end += Datagrams.PREFIX_BYTES + frame.length();
    }

    private void grow() {
        @Nullable Packet[] largerFrames = new Packet[frames.length * 2];
        long[] largerStarts = new long[frames.length * 2];
        for (int index = 0; index < count; index++) {
            int slot = (first + index) & (frames.length - 1);
            largerFrames[index] = frames[slot];
            largerStarts[index] = starts[slot];
        }
        frames = largerFrames;
        starts = largerStarts;
        first = 0;
    }

    long end() {
        return end;
    }

    /** Bytes that have not arrived, as far as is known. */
    long keptBytes() {
        return end - arrivedBelow;
    }

    boolean isAllArrived() {
        return arrivedBelow == end;
    }

    boolean hasLost() {
        return !lost.isEmpty();
    }

    /** Whether there is something that was never sent and is below {@code limit}. */
    boolean hasNew(long limit) {
        return nextUnsent < Math.min(end, limit);
    }

    boolean isAllSent() {
        return nextUnsent == end && lost.isEmpty();
    }

    long lostStart() {
        return lost.start(0);
    }

    long lostEnd() {
        return lost.end(0);
    }

    long nextUnsent() {
        return nextUnsent;
    }

    void onSent(long start, long sentEnd) {
        nextUnsent = Math.max(nextUnsent, sentEnd);
        lost.remove(start, sentEnd);
    }

    /** The oldest byte that has not arrived. */
    long oldest() {
        return arrivedBelow;
    }

    /** How far the bytes from {@link #oldest} on have not arrived either and were sent. */
    long oldestEnd() {
        return arrived.isEmpty() ? nextUnsent : Math.min(nextUnsent, arrived.start(0));
    }

    void onLost(long start, long lostEnd) {
        lost.add(Math.max(start, arrivedBelow), lostEnd);
        for (int index = 0; index < arrived.count(); index++) {
            lost.remove(arrived.start(index), arrived.end(index));
        }
    }

    void onArrived(long start, long arrivedEnd) {
        lost.remove(start, arrivedEnd);
        if (start <= arrivedBelow) {
            arrivedBelow = Math.max(arrivedBelow, arrivedEnd);
            while (!arrived.isEmpty() && arrived.start(0) <= arrivedBelow) {
                arrivedBelow = Math.max(arrivedBelow, arrived.end(0));
                arrived.removeFirst();
            }
            release();
        } else {
            arrived.add(start, arrivedEnd);
        }
    }

    private void release() {
        while (count > 0) {
            Packet frame = frames[first];
            if (frame == null || starts[first] + Datagrams.PREFIX_BYTES + frame.length() > arrivedBelow) {
                return;
            }
            frame.release();
            frames[first] = null;
            first = (first + 1) & (frames.length - 1);
            count--;
        }
    }

    void releaseAll() {
        for (int index = 0; index < count; index++) {
            Packet frame = frames[(first + index) & (frames.length - 1)];
            if (frame != null) {
                frame.release();
            }
        }
        Arrays.fill(frames, null);
        count = 0;
        arrivedBelow = end;
        nextUnsent = end;
        while (!lost.isEmpty()) {
            lost.removeFirst();
        }
    }

    /** The end of the last frame that ends at or before {@code limit}; {@code limit} if none does after {@code start}. */
    long frameEnd(long start, long limit) {
        if (limit == end) {
            return limit;
        }
        // The frame that holds the byte at the limit begins where the last one before it ends.
        long frameStart = starts[(first + find(limit)) & (frames.length - 1)];
        return frameStart > start ? frameStart : limit;
    }

    /** Appends the bytes from {@code start} to {@code rangeEnd}, none of which have arrived, to a datagram. */
    void copy(long start, long rangeEnd, Packet datagram) {
        int index = find(start);
        long at = start;
        while (at < rangeEnd) {
            int slot = (first + index) & (frames.length - 1);
            Packet frame = frames[slot];
            if (frame == null) {
                throw new IllegalStateException("byte " + at + " of the stream is not kept");
            }
            long body = starts[slot] + Datagrams.PREFIX_BYTES;
            for (; at < body && at < rangeEnd; at++) {
                datagram.appendByte(frame.length() >>> (int) (8 * (body - 1 - at)));
            }
            int from = (int) (at - body);
            int length = (int) Math.min(frame.length() - (long) from, rangeEnd - at);
            if (length > 0) {
                datagram.append(frame.bytes(), frame.offset() + from, length);
                at += length;
            }
            index++;
        }
    }

    /** The index of the frame, or its length, that has byte {@code offset}. */
    private int find(long offset) {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[(first + middle) & (frames.length - 1)] <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
