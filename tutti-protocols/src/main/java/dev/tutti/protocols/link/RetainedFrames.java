package dev.tutti.protocols.link;

import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Frames that were sent in a session and are not acknowledged, oldest first: those to be sent again when a new
 * connection takes over. Frames are numbered from 0 in each session.
 */
final class RetainedFrames implements Iterable<Packet> {

    private final ArrayDeque<Packet> frames = new ArrayDeque<>(1);
    private long first;
    private long cost;

    /** Returns the number of the first frame that is not acknowledged. */
    long first() {
        return first;
    }

    /** Returns the number of the next frame to be sent. */
    long next() {
        return first + frames.size();
    }

    int size() {
        return frames.size();
    }

    /** Returns the memory that the frames hold, see {@link Frames#cost}. */
    long cost() {
        return cost;
    }

    /** Returns whether the other side can go on from {@code number}: all frames from there on are retained. */
    boolean canResumeFrom(long number) {
        return first <= number && number <= next();
    }

    void add(Packet frame) {
        frames.add(frame);
        cost += Frames.cost(frame.length());
    }

    /** Releases the frames before {@code number}, which the other side has. */
    void acknowledge(long number) {
        while (first < number) {
            Packet frame = frames.remove();
            first++;
            cost -= Frames.cost(frame.length());
            frame.release();
        }
    }

    /** Releases all frames; numbers start again from 0. */
    void reset() {
        for (Packet frame = frames.poll(); frame != null; frame = frames.poll()) {
            frame.release();
        }
        first = 0;
        cost = 0;
    }

    @Override
    public Iterator<Packet> iterator() {
        return frames.iterator();
    }
}
