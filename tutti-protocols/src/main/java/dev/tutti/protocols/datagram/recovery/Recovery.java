package dev.tutti.protocols.datagram.recovery;

import dev.tutti.core.Packet;

/**
 * Loss detection: decides which of the {@link SentDatagrams} have arrived and which are lost. After RFC 9002.
 *
 * <p>A datagram counts as lost when later ones have arrived, by number or by time, as {@link LossThresholds} say.
 */
public final class Recovery {

    public static final long NEVER = Long.MAX_VALUE;

    private static final long MILLISECOND = 1_000_000;

    /** Precision of timers: no decision is made on a shorter time. */
    static final long GRANULARITY_NANOS = MILLISECOND / 5;

    /** Bytes of each range of an acknowledgement after the first. */
    public static final int RANGE_BYTES = 8;

    /** Time for which the other side may delay the acknowledgement of a single datagram. */
    public static final long ACK_DELAY_NANOS = MILLISECOND;

    private static final long PROBE_NANOS_MAX = 400 * MILLISECOND;

    private final SendStream stream;
    private final Congestion congestion;

    /** FIN has arrived at the other side. */
    private boolean isFinArrived;

    private final SentDatagrams sent = new SentDatagrams();
    private final RoundTrip roundTrip = new RoundTrip();
    private final LossThresholds thresholds = new LossThresholds();
    private long largestAcked = -1;
    private long inFlightBytes;
    private int inFlightCount;
    private long lastElicitingNanos;
    private long lossNanos = NEVER;
    private int probeCount;
    private long quietSinceNanos;

    // Counters.
    private long lostPackets;
    private long lostBytes;
    private long foundPackets;
    private long probes;

    public Recovery(SendStream stream, Congestion congestion) {
        this.stream = stream;
        this.congestion = congestion;
    }

    // ------------------------------------------------------------------ sending

    public boolean hasRoom() {
        return sent.count() < SentDatagrams.RECORDS_MAX;
    }

    public long nextNumber() {
        return sent.next();
    }

    public long inFlightBytes() {
        return inFlightBytes;
    }

    /** Takes a number for a datagram that needs no acknowledgement, and is not tracked. */
    public void onSentUntracked() {
        sent.addSettled();
        advance();
    }

    /** Tracks a datagram that has to be acknowledged, with a range of the stream or none. */
    public void onSent(long nowNanos, int bytes, long start, int length, boolean isFin) {
        congestion.onSent(bytes, inFlightBytes, nowNanos);
        sent.add(nowNanos, bytes, start, length, isFin, congestion);
        if (inFlightCount == 0) {
            quietSinceNanos = nowNanos;
        }
        inFlightBytes += bytes;
        inFlightCount++;
        lastElicitingNanos = nowNanos;
    }

    // ------------------------------------------------------------------ acknowledgements

    /**
     * Takes the ranges of an acknowledgement.
     *
     * @return false if it names a datagram that was never sent, or can't be decoded
     */
    public boolean onAck(Packet ack, long largest, long delayNanos, long nowNanos) {
        int more = ack.takeByte();
        long high = largest;
        long low = high - Integer.toUnsignedLong(ack.takeInt());
        if (largest >= sent.next() || low < 0 || ack.isMalformed() || more * RANGE_BYTES > ack.length()) {
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
        for (long number = Math.min(high, sent.next() - 1); number >= Math.max(low, sent.first()); number--) {
            int slot = sent.slot(number);
            byte state = sent.state(slot);
            if (state == SentDatagrams.SETTLED) {
                continue;
            }
            sent.setState(slot, SentDatagrams.SETTLED);
            isAnyNew = true;
            if (state == SentDatagrams.IN_FLIGHT) {
                inFlightBytes -= sent.size(slot);
                inFlightCount--;
                if (number == largest) {
                    measure(nowNanos - sent.sentNanos(slot), delayNanos, nowNanos);
                }
            } else {
                onFound(largest - number, nowNanos - sent.sentNanos(slot), nowNanos);
            }
            sent.deliver(slot, congestion, nowNanos);
            isFinArrived |= sent.isFin(slot);
            if (sent.length(slot) > 0) {
                stream.onArrived(sent.start(slot), sent.start(slot) + sent.length(slot));
            }
        }
        return isAnyNew;
    }

    private void onFound(long distance, long tookNanos, long nowNanos) {
        foundPackets++;
        congestion.onFound();
        long lateNanosMax = roundTrip.isMeasured() ? 4 * roundTrip.smoothedNanos() : 0;
        thresholds.onFound(distance, tookNanos, lateNanosMax, nowNanos);
    }

    private void measure(long tookNanos, long delayNanos, long nowNanos) {
        long nanos = Math.max(1, tookNanos);
        congestion.onRoundTrip(nanos, nowNanos);
        roundTrip.onMeasured(nanos, delayNanos, congestion.minRoundTripNanos());
    }

    // ------------------------------------------------------------------ loss

    private void findLost(long nowNanos) {
        thresholds.relax(nowNanos);
        lossNanos = NEVER;
        long delay = thresholds.delayNanos(roundTrip);
        for (long number = sent.first(); number < largestAcked; number++) {
            int slot = sent.slot(number);
            if (sent.state(slot) != SentDatagrams.IN_FLIGHT) {
                continue;
            }
            long dueNanos = sent.sentNanos(slot) + delay;
            if (largestAcked - number >= thresholds.distance() || dueNanos <= nowNanos) {
                lose(slot);
            } else {
                lossNanos = Math.min(lossNanos, dueNanos);
            }
        }
    }

    private void lose(int slot) {
        sent.setState(slot, SentDatagrams.LOST);
        inFlightBytes -= sent.size(slot);
        inFlightCount--;
        lostPackets++;
        lostBytes += sent.size(slot);
        congestion.onLost();
        if (sent.length(slot) > 0) {
            stream.onLost(sent.start(slot), sent.start(slot) + sent.length(slot));
        }
    }

    /** Forgets settled datagrams. Lost ones are remembered for a while, since they may turn out to be late. */
    private void advance() {
        while (sent.first() < sent.next()) {
            byte state = sent.state(sent.slot(sent.first()));
            boolean isKept = largestAcked - sent.first() <= LOST_KEPT && sent.count() <= SentDatagrams.RECORDS_MAX / 2;
            if (state == SentDatagrams.IN_FLIGHT || state == SentDatagrams.LOST && isKept) {
                return;
            }
            sent.removeFirst();
        }
    }

    // ------------------------------------------------------------------ timers

    /** Returns the time at which {@link #onTimer} has something to do. */
    public long deadlineNanos() {
        if (lossNanos != NEVER) {
            return lossNanos;
        }
        return inFlightCount == 0 ? NEVER : lastElicitingNanos + probeNanos();
    }

    private long probeNanos() {
        long once = roundTrip.isMeasured()
                ? roundTrip.smoothedNanos()
                        + Math.max(4 * roundTrip.variationNanos(), GRANULARITY_NANOS)
                        + (inFlightCount == 1 ? ACK_DELAY_NANOS + GRANULARITY_NANOS : GRANULARITY_NANOS)
                : 3 * roundTrip.smoothedNanos();
        // The first repeated probe comes after the same time, without backoff: probes get lost, too.
        long backedOff = once << Math.min(Math.max(0, probeCount - 1), 10);
        return Math.max(Math.min(backedOff, PROBE_NANOS_MAX), Math.min(once, 8 * PROBE_NANOS_MAX));
    }

    /**
     * Detects losses by time.
     *
     * @return whether a probe is due, because nothing has been heard of the datagrams sent last
     */
    public boolean onTimer(long nowNanos) {
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
    public long quietNanos(long nowNanos) {
        return inFlightCount == 0 ? 0 : nowNanos - quietSinceNanos;
    }

    public boolean isFinArrived() {
        return isFinArrived;
    }

    /** Returns whether FIN is in flight. */
    public boolean isFinUnderWay() {
        for (long number = sent.first(); number < sent.next(); number++) {
            int slot = sent.slot(number);
            if (sent.state(slot) == SentDatagrams.IN_FLIGHT && sent.isFin(slot)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of datagrams that were lost, or seemed so. */
    public long lostPackets() {
        return lostPackets;
    }

    public long lostBytes() {
        return lostBytes;
    }

    /** Returns the number of datagrams that seemed lost and have arrived. */
    public long foundPackets() {
        return foundPackets;
    }

    public long probes() {
        return probes;
    }

    public long smoothedNanos() {
        return roundTrip.smoothedNanos();
    }

    /** Takes the duration of the handshake as the first estimate of the round trip. */
    public void onHandshake(long tookNanos) {
        roundTrip.onHandshake(tookNanos);
    }

    private static final int LOST_KEPT = 512;
}
