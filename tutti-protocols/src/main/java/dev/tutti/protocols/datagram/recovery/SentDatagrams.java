package dev.tutti.protocols.datagram.recovery;

import java.util.Arrays;

/**
 * Records of the datagrams sent, by number: a ring of columns that grows with the datagrams in flight, so that a record
 * needs no object. A record is addressed by its slot, which {@link #slot} returns for a number in the range from
 * {@link #first} to before {@link #next}.
 */
final class SentDatagrams {

    /** Records kept at a time. */
    static final int RECORDS_MAX = 1 << 16;

    /** States of a datagram. A settled one has arrived, or was never to be acknowledged. */
    static final byte SETTLED = 0;

    static final byte IN_FLIGHT = 1;
    static final byte LOST = 2;

    private byte[] states = new byte[64];
    private int[] sizes = new int[64];
    private long[] sentNanos = new long[64];
    private long[] starts = new long[64];
    private int[] lengths = new int[64];
    private boolean[] fins = new boolean[64];
    private boolean[] appLimits = new boolean[64];
    private long[] priorBytes = new long[64];
    private long[] priorNanos = new long[64];
    private long[] priorFirstSentNanos = new long[64];
    private long first;
    private long next;

    /** Returns the number of the oldest record. */
    long first() {
        return first;
    }

    /** Returns the number of the next datagram. */
    long next() {
        return next;
    }

    int count() {
        return (int) (next - first);
    }

    int slot(long number) {
        return (int) number & (states.length - 1);
    }

    byte state(int slot) {
        return states[slot];
    }

    void setState(int slot, byte state) {
        states[slot] = state;
    }

    /** Returns the bytes of the datagram. */
    int size(int slot) {
        return sizes[slot];
    }

    long sentNanos(int slot) {
        return sentNanos[slot];
    }

    /** Returns the offset of the datagram's first byte of the stream. */
    long start(int slot) {
        return starts[slot];
    }

    /** Returns the number of the datagram's bytes of the stream; 0 for none. */
    int length(int slot) {
        return lengths[slot];
    }

    boolean isFin(int slot) {
        return fins[slot];
    }

    /** Adds the record of a datagram that needs no acknowledgement. */
    void addSettled() {
        int slot = nextSlot();
        states[slot] = SETTLED;
        next++;
    }

    /** Adds the record of a datagram in flight, and of the path as {@code congestion} sees it at present. */
    void add(long nowNanos, int bytes, long start, int length, boolean isFin, Congestion congestion) {
        int slot = nextSlot();
        states[slot] = IN_FLIGHT;
        sizes[slot] = bytes;
        sentNanos[slot] = nowNanos;
        starts[slot] = start;
        lengths[slot] = length;
        fins[slot] = isFin;
        priorBytes[slot] = congestion.deliveredBytes();
        priorNanos[slot] = congestion.deliveredNanos();
        priorFirstSentNanos[slot] = congestion.firstSentNanos();
        appLimits[slot] = congestion.isAppLimited();
        next++;
    }

    /** Tells {@code congestion} that the datagram has arrived. */
    void deliver(int slot, Congestion congestion, long nowNanos) {
        congestion.onDelivered(
                sizes[slot],
                priorBytes[slot],
                priorNanos[slot],
                priorFirstSentNanos[slot],
                sentNanos[slot],
                appLimits[slot],
                nowNanos);
    }

    /** Drops the oldest record. */
    void removeFirst() {
        first++;
    }

    private int nextSlot() {
        if (next - first == states.length) {
            grow();
        }
        return slot(next);
    }

    /** Doubles the columns, and moves the records of the second half of the longer ring there. */
    private void grow() {
        int old = states.length;
        int larger = old * 2;
        states = Arrays.copyOf(states, larger);
        sizes = Arrays.copyOf(sizes, larger);
        sentNanos = Arrays.copyOf(sentNanos, larger);
        starts = Arrays.copyOf(starts, larger);
        lengths = Arrays.copyOf(lengths, larger);
        fins = Arrays.copyOf(fins, larger);
        appLimits = Arrays.copyOf(appLimits, larger);
        priorBytes = Arrays.copyOf(priorBytes, larger);
        priorNanos = Arrays.copyOf(priorNanos, larger);
        priorFirstSentNanos = Arrays.copyOf(priorFirstSentNanos, larger);
        for (long number = first; number < next; number++) {
            int from = (int) number & (old - 1);
            int to = slot(number);
            states[to] = states[from];
            sizes[to] = sizes[from];
            sentNanos[to] = sentNanos[from];
            starts[to] = starts[from];
            lengths[to] = lengths[from];
            fins[to] = fins[from];
            appLimits[to] = appLimits[from];
            priorBytes[to] = priorBytes[from];
            priorNanos[to] = priorNanos[from];
            priorFirstSentNanos[to] = priorFirstSentNanos[from];
        }
    }
}
