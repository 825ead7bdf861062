package dev.tutti.protocols.datagram.recovery;

import dev.tutti.core.Packet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Frames of one direction as a stream of bytes, each preceded by its length, and kept until the other side has them.
 *
 * <p>Bytes are first sent in order. Lost ranges are sent again, those that have arrived are not.
 */
public final class SendStream {

    /** Bytes of a frame's length before the frame in the stream. */
    public static final int PREFIX_BYTES = 4;

    private @Nullable Packet[] frames = new Packet[16];
    private long[] starts = new long[16];
    private int first;
    private int count;

    /** Offset at which the next frame begins. */
    private long end;

    private long nextUnsent;

    /** Offset below which everything has arrived. */
    private long arrivedBelow;

    private final Ranges arrived = new Ranges();
    private final Ranges lost = new Ranges();

    public void append(Packet frame) {
        if (count == frames.length) {
            grow();
        }
        int slot = (first + count) & (frames.length - 1);
        frames[slot] = frame;
        starts[slot] = end;
        count++;
        end += PREFIX_BYTES + frame.length();
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

    public long end() {
        return end;
    }

    /** Returns the number of bytes that are not known to have arrived. */
    public long keptBytes() {
        return end - arrivedBelow;
    }

    public boolean isAllArrived() {
        return arrivedBelow == end;
    }

    public boolean hasLost() {
        return !lost.isEmpty();
    }

    /** Returns whether there are bytes below {@code limit} that were never sent. */
    public boolean hasNew(long limit) {
        return nextUnsent < Math.min(end, limit);
    }

    public boolean isAllSent() {
        return nextUnsent == end && lost.isEmpty();
    }

    public long lostStart() {
        return lost.start(0);
    }

    public long lostEnd() {
        return lost.end(0);
    }

    public long nextUnsent() {
        return nextUnsent;
    }

    public void onSent(long start, long sentEnd) {
        nextUnsent = Math.max(nextUnsent, sentEnd);
        lost.remove(start, sentEnd);
    }

    /** Returns the offset of the oldest byte that has not arrived. */
    public long oldest() {
        return arrivedBelow;
    }

    /** Returns the end of the run of bytes from {@link #oldest} on that were sent and have not arrived. */
    public long oldestEnd() {
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
            if (frame == null || starts[first] + PREFIX_BYTES + frame.length() > arrivedBelow) {
                return;
            }
            frame.release();
            frames[first] = null;
            first = (first + 1) & (frames.length - 1);
            count--;
        }
    }

    public void releaseAll() {
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

    /** Returns the end of the last frame that ends in ({@code start}, {@code limit}]; {@code limit} if none does. */
    public long frameEnd(long start, long limit) {
        if (limit == end) {
            return limit;
        }
        // The frame that holds the byte at the limit begins where the last one before it ends.
        long frameStart = starts[(first + find(limit)) & (frames.length - 1)];
        return frameStart > start ? frameStart : limit;
    }

    /** Appends the bytes from {@code start} to {@code rangeEnd}, none of which have arrived, to a datagram. */
    public void copy(long start, long rangeEnd, Packet datagram) {
        int index = find(start);
        long at = start;
        while (at < rangeEnd) {
            int slot = (first + index) & (frames.length - 1);
            Packet frame = frames[slot];
            if (frame == null) {
                throw new IllegalStateException("byte " + at + " of the stream is not kept");
            }
            long body = starts[slot] + PREFIX_BYTES;
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

    /** Returns the index of the frame that has byte {@code offset}, be it in its length or in its content. */
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
