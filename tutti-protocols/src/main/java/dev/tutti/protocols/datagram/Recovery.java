package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;

/**
 * Loss detection and round-trip measurement: the state of each datagram sent (in flight, arrived, lost). After RFC
 * 9002.
 *
 * <p>A datagram counts as lost when later ones have arrived, by number or by time. Where the path reorders datagrams,
 * which shows when one that counted as lost arrives, both thresholds grow, and shrink again slowly.
 */
final class Recovery {

    static final long NEVER = Long.MAX_VALUE;

    private static final long MILLISECOND = 1_000_000;
    private static final long INITIAL_ROUND_TRIP_NANOS = 10 * MILLISECOND;
    private static final long GRANULARITY_NANOS = MILLISECOND / 5;

    /** Time for which the other side may delay the acknowledgement of a single datagram. */
    static final long ACK_DELAY_NANOS = MILLISECOND;
    private static final long PROBE_NANOS_MAX = 400 * MILLISECOND;
    private static final int PACKET_THRESHOLD = 3;

    /** Datagrams that may be under way or recently lost. */
    private static final int RECORDS_MAX = 1 << 16;

    private static final byte NONE = 0;
    private static final byte IN_FLIGHT = 1;
    private static final byte LOST = 2;

    private final SendStream stream;
    private final Congestion congestion;

    /** FIN has arrived at the other side. */
    private boolean isFinArrived;

    // Records by packet number, from first to before next.
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

    private long largestAcked = -1;
    private long inFlightBytes;
    private int inFlightCount;
    private long lastElicitingNanos;
    private long lossNanos = NEVER;
    private int probeCount;
    private long quietSinceNanos;

    // Round trip.
    private long smoothedNanos;
    private long variationNanos;
    private long latestNanos;
    private boolean isMeasured;

    // Overtaking.
    private int packetThreshold = PACKET_THRESHOLD;
    private long lateNanos;
    private long relaxNanos;

    // Counters.
    long lostPackets;
    long lostBytes;
    long foundPackets;
    long probes;

    Recovery(SendStream stream, Congestion congestion) {
        this.stream = stream;
        this.congestion = congestion;
    }

    // ------------------------------------------------------------------ sending

    boolean hasRoom() {
        return next - first < RECORDS_MAX;
    }

    long nextNumber() {
        return next;
    }

    long inFlightBytes() {
        return inFlightBytes;
    }

    int inFlightCount() {
        return inFlightCount;
    }

    /** Takes a number for a datagram that needs no acknowledgement, and is not tracked. */
    void onSentUntracked() {
        int slot = slot();
        states[slot] = NONE;
        next++;
        advance();
    }

    /** Tracks a datagram that has to be acknowledged, with a range of the stream or none. */
    void onSent(long nowNanos, int bytes, long start, int length, boolean isFin) {
        int slot = slot();
        congestion.onSent(bytes, inFlightBytes, nowNanos);
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
        if (inFlightCount == 0) {
            quietSinceNanos = nowNanos;
        }
        inFlightBytes += bytes;
        inFlightCount++;
        lastElicitingNanos = nowNanos;
        next++;
    }

    private int slot() {
        if (next - first == states.length) {
            grow();
        }
        return (int) next & (states.length - 1);
    }

    private void grow() {
        int old = states.length;
        int larger = old * 2;
        byte[] oldStates = states;
        int[] oldSizes = sizes;
        long[] oldSent = sentNanos;
        long[] oldStarts = starts;
        int[] oldLengths = lengths;
        boolean[] oldFins = fins;
        boolean[] oldLimits = appLimits;
        long[] oldBytes = priorBytes;
        long[] oldNanos = priorNanos;
        long[] oldFirst = priorFirstSentNanos;
        states = new byte[larger];
        sizes = new int[larger];
        sentNanos = new long[larger];
        starts = new long[larger];
        lengths = new int[larger];
        fins = new boolean[larger];
        appLimits = new boolean[larger];
        priorBytes = new long[larger];
        priorNanos = new long[larger];
        priorFirstSentNanos = new long[larger];
        for (long number = first; number < next; number++) {
            int from = (int) number & (old - 1);
            int to = (int) number & (larger - 1);
            states[to] = oldStates[from];
            sizes[to] = oldSizes[from];
            sentNanos[to] = oldSent[from];
            starts[to] = oldStarts[from];
            lengths[to] = oldLengths[from];
            fins[to] = oldFins[from];
            appLimits[to] = oldLimits[from];
            priorBytes[to] = oldBytes[from];
            priorNanos[to] = oldNanos[from];
            priorFirstSentNanos[to] = oldFirst[from];
        }
    }

    // ------------------------------------------------------------------ acknowledgements

    /**
     * Takes the ranges of an acknowledgement.
     *
     * @return false if it names a datagram that was never sent, or can't be decoded
     */
    boolean onAck(Packet ack, long largest, long delayNanos, long nowNanos) {
        int more = ack.takeByte();
        long high = largest;
        long low = high - Integer.toUnsignedLong(ack.takeInt());
        if (largest >= next || low < 0 || ack.isMalformed() || more * Datagrams.RANGE_BYTES > ack.length()) {
            return false;
        }
        boolean isAnyNew = onRange(low, high, largest, delayNanos, nowNanos);
        for (int index = 0; index < more; index++) {
            high = low - 1 - Integer.toUnsignedLong(ack.takeInt());
            low = high - Integer.toUnsignedLong(ack.takeInt());
            if (low < 0 || ack.isMalformed()) {
                return false;
            }
            isAnyNew |= onRange(low, high, largest, delayNanos, nowNanos);
        }
        largestAcked = Math.max(largestAcked, largest);
        if (isAnyNew) {
            probeCount = 0;
            quietSinceNanos = nowNanos;
        }
        findLost(nowNanos);
        congestion.onAckEnd(inFlightBytes, nowNanos);
        advance();
        return true;
    }

    private boolean onRange(long low, long high, long largest, long delayNanos, long nowNanos) {
        boolean isAnyNew = false;
        for (long number = Math.min(high, next - 1); number >= Math.max(low, first); number--) {
            int slot = (int) number & (states.length - 1);
            byte state = states[slot];
            if (state == NONE) {
                continue;
            }
            states[slot] = NONE;
            isAnyNew = true;
            if (state == IN_FLIGHT) {
                inFlightBytes -= sizes[slot];
                inFlightCount--;
                if (number == largest) {
                    measure(nowNanos - sentNanos[slot], delayNanos, nowNanos);
                }
            } else {
                onFound(largest - number, nowNanos - sentNanos[slot], nowNanos);
            }
            congestion.onDelivered(
                    sizes[slot],
                    priorBytes[slot],
                    priorNanos[slot],
                    priorFirstSentNanos[slot],
                    sentNanos[slot],
                    appLimits[slot],
                    nowNanos);
            isFinArrived |= fins[slot];
            if (lengths[slot] > 0) {
                stream.onArrived(starts[slot], starts[slot] + lengths[slot]);
            }
        }
        return isAnyNew;
    }

    /** Raises the thresholds after a datagram that counted as lost has arrived. */
    private void onFound(long distance, long tookNanos, long nowNanos) {
        foundPackets++;
        congestion.onFound();
        packetThreshold = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(packetThreshold, 2 * distance));
        lateNanos = Math.min(Math.max(lateNanos, tookNanos), 4 * smoothedNanos);
        relaxNanos = nowNanos + RELAX_NANOS;
    }

    private void measure(long tookNanos, long delayNanos, long nowNanos) {
        latestNanos = Math.max(1, tookNanos);
        congestion.onRoundTrip(latestNanos, nowNanos);
        if (!isMeasured) {
            isMeasured = true;
            smoothedNanos = latestNanos;
            variationNanos = latestNanos / 2;
            return;
        }
        long adjusted = latestNanos;
        if (latestNanos - delayNanos >= congestion.minRoundTripNanos()) {
            adjusted -= delayNanos;
        }
        variationNanos += (Math.abs(smoothedNanos - adjusted) - variationNanos) / 4;
        smoothedNanos += (adjusted - smoothedNanos) / 8;
    }

    // ------------------------------------------------------------------ loss

    private void findLost(long nowNanos) {
        if (nowNanos >= relaxNanos && packetThreshold > PACKET_THRESHOLD) {
            packetThreshold = Math.max(PACKET_THRESHOLD, packetThreshold / 2);
            lateNanos = lateNanos / 2;
            relaxNanos = nowNanos + RELAX_NANOS;
        }
        lossNanos = NEVER;
        long delay = lossDelayNanos();
        for (long number = first; number < largestAcked; number++) {
            int slot = (int) number & (states.length - 1);
            if (states[slot] != IN_FLIGHT) {
                continue;
            }
            if (largestAcked - number >= packetThreshold || sentNanos[slot] + delay <= nowNanos) {
                lose(slot);
            } else {
                lossNanos = Math.min(lossNanos, sentNanos[slot] + delay);
            }
        }
    }

    private long lossDelayNanos() {
        long base = Math.max(smoothedNanos, latestNanos) * 9 / 8;
        return Math.max(Math.max(base, lateNanos * 9 / 8), GRANULARITY_NANOS);
    }

    private void lose(int slot) {
        states[slot] = LOST;
        inFlightBytes -= sizes[slot];
        inFlightCount--;
        lostPackets++;
        lostBytes += sizes[slot];
        congestion.onLost();
        if (lengths[slot] > 0) {
            stream.onLost(starts[slot], starts[slot] + lengths[slot]);
        }
    }

    /** Forgets settled datagrams. Lost ones are remembered for a while, since they may turn out to be late. */
    private void advance() {
        while (first < next) {
            int slot = (int) first & (states.length - 1);
            boolean isSettled = states[slot] == NONE
                    || states[slot] == LOST && (largestAcked - first > LOST_KEPT || next - first > RECORDS_MAX / 2);
            if (!isSettled) {
                return;
            }
            first++;
        }
    }

    // ------------------------------------------------------------------ timers

    /** Returns the time at which {@link #onTimer} has something to do. */
    long deadlineNanos() {
        if (lossNanos != NEVER) {
            return lossNanos;
        }
        return inFlightCount == 0 ? NEVER : lastElicitingNanos + probeNanos();
    }

    private long probeNanos() {
        long once = isMeasured
                ? smoothedNanos
                        + Math.max(4 * variationNanos, GRANULARITY_NANOS)
                        + (inFlightCount == 1 ? ACK_DELAY_NANOS + GRANULARITY_NANOS : GRANULARITY_NANOS)
                : 3 * INITIAL_ROUND_TRIP_NANOS;
        // The first repeated probe comes after the same time, without backoff: probes get lost, too.
        long backedOff = once << Math.min(Math.max(0, probeCount - 1), 10);
        return Math.max(Math.min(backedOff, PROBE_NANOS_MAX), Math.min(once, 8 * PROBE_NANOS_MAX));
    }

    /**
     * Detects losses by time.
     *
     * @return whether a probe is due, because nothing has been heard of the datagrams sent last
     */
    boolean onTimer(long nowNanos) {
        if (lossNanos != NEVER) {
            if (lossNanos <= nowNanos) {
                findLost(nowNanos);
                advance();
            }
            return false;
        }
        if (inFlightCount > 0 && lastElicitingNanos + probeNanos() <= nowNanos) {
            probeCount++;
            probes++;
            lastElicitingNanos = nowNanos;
            return true;
        }
        return false;
    }

    /** Returns the time for which the other side has acknowledged nothing although datagrams are in flight. */
    long quietNanos(long nowNanos) {
        return inFlightCount == 0 ? 0 : nowNanos - quietSinceNanos;
    }

    boolean isFinArrived() {
        return isFinArrived;
    }

    /** Returns whether FIN is in flight. */
    boolean isFinUnderWay() {
        for (long number = first; number < next; number++) {
            int slot = (int) number & (states.length - 1);
            if (states[slot] == IN_FLIGHT && fins[slot]) {
                return true;
            }
        }
        return false;
    }

    long smoothedNanos() {
        return isMeasured ? smoothedNanos : INITIAL_ROUND_TRIP_NANOS;
    }

    /** Takes the duration of the handshake as the first estimate of the round trip. */
    void onHandshake(long tookNanos) {
        isMeasured = true;
        smoothedNanos = Math.max(1, tookNanos);
        variationNanos = smoothedNanos / 2;
    }

    private static final long RELAX_NANOS = 5_000 * MILLISECOND;
    private static final int LOST_KEPT = 512;
}
