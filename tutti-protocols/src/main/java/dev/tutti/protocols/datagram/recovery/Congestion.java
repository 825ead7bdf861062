package dev.tutti.protocols.datagram.recovery;

/**
 * Congestion control: derives window and pacing from the measured delivery rate. It models the path rather
 * than react to loss.
 *
 * <p>After BBR (Cardwell et al., 2016; draft-ietf-ccwg-bbr): the path holds the highest recent delivery rate times
 * the shortest round trip. The window is twice that, and sending is paced. Each cycle first sends a little faster, then
 * slower, so that the queue built by the first drains. Delivery rates are sampled as in
 * draft-cheng-iccrg-delivery-rate-estimation.
 *
 * <p>Loss that does not depend on the rate is compensated: the pacing rate is divided by the share that arrives. The
 * <em>lowest</em> loss of the last cycle counts. Loss from a full queue vanishes in the part of the cycle that sends
 * less, so the lowest goes down cycle by cycle and the rate with it. Random loss remains in all parts.
 *
 * <p>A probe that has raised the rate is followed by another one, as in the later versions of BBR, so that a line that holds far
 * more than was known is used within some round trips.
 */
public final class Congestion {

    private static final double[] CYCLE = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
    private static final double STARTUP_GAIN = 2.77;
    private static final double WINDOW_GAIN = 2;
    private static final int EPOCHS = CYCLE.length + 2;

    private static final long MILLISECOND = 1_000_000;

    /**
     * Lateness of a timer that costs no rate: as much as this time allows may be sent at once. It is a part of the round trip within
     * these bounds. What a sender loses by late timers looks like a line that holds less, so that the rate would sink further.
     */
    private static final long BURST_NANOS_MIN = MILLISECOND;
    private static final long BURST_NANOS_MAX = 10 * MILLISECOND;
    private static final int BURSTS_IN_ROUND_TRIP = 8;

    private static final long MIN_ROUND_TRIP_NANOS_MAX = 10_000 * MILLISECOND;
    private static final int EPOCH_PACKETS_MIN = 40;

    /** Least time from one probe for a higher rate to the next, unless epochs are shorter. */
    private static final long PROBE_NANOS_MIN = 500 * MILLISECOND;

    /** Growth of the rate in a probe that shows that the path may hold still more. */
    private static final double PROBE_GROWTH = 1.15;

    private enum Phase {
        STARTUP,
        DRAIN,
        CYCLE,
        PROBE_ROUND_TRIP
    }

    private Phase phase = Phase.STARTUP;
    private int cycleIndex;
    private final int initialWindowBytes;

    // Delivery.
    private long deliveredBytes;
    private long deliveredNanos;
    private long firstSentNanos;
    private long appLimitedUntilBytes;

    /** The sample of the acknowledgement that is being read. */
    private static final class Sample {

        boolean isThere;
        long priorBytes;
        long priorNanos;
        long sendNanos;
        boolean isAppLimited;
    }

    private final Sample sample = new Sample();

    // Rounds and epochs: an epoch has one round trip at least, and enough packets to tell a loss rate.
    private long roundEndBytes;
    private int epochAcked;
    private int epochLost;

    /** The epoch had a sample that was not limited by a lack of data to send. */
    private boolean isEpochMeasured;

    private final double[] bandwidths = new double[EPOCHS];
    private final double[] losses = new double[EPOCHS];
    private int epoch;
    private long probedNanos;
    private double probedBandwidth;
    private double fullBandwidth;
    private int fullRounds;

    private long minRoundTripNanos = Long.MAX_VALUE;
    private long minRoundTripSinceNanos;
    private long probeEndNanos;
    private long nextSendNanos;

    public Congestion(int initialWindowBytes) {
        this.initialWindowBytes = initialWindowBytes;
    }

    // ------------------------------------------------------------------ what a packet remembers

    long deliveredBytes() {
        return deliveredBytes;
    }

    long deliveredNanos() {
        return deliveredNanos;
    }

    long firstSentNanos() {
        return firstSentNanos;
    }

    boolean isAppLimited() {
        return appLimitedUntilBytes > deliveredBytes;
    }

    // ------------------------------------------------------------------ events

    void onSent(int bytes, long inFlightBytes, long nowNanos) {
        if (inFlightBytes == 0) {
            deliveredNanos = nowNanos;
            firstSentNanos = nowNanos;
        }
        double rate = pacingRate();
        if (rate > 0) {
            nextSendNanos = Math.max(nextSendNanos, nowNanos - burstNanos()) + (long) (bytes / rate);
        }
    }

    /** Notes that there is nothing more to send, although the window would allow it. */
    public void onAppLimited(long inFlightBytes) {
        appLimitedUntilBytes = deliveredBytes + Math.max(1, inFlightBytes);
    }

    /** Takes the arrival of a packet that was sent in the given state. */
    void onDelivered(
            int bytes, long priorBytes, long priorNanos, long priorFirstSentNanos, long sentNanos, boolean appLimited,
            long nowNanos) {
        deliveredBytes += bytes;
        deliveredNanos = nowNanos;
        epochAcked++;
        if (!sample.isThere || priorBytes >= sample.priorBytes) {
            sample.isThere = true;
            sample.priorBytes = priorBytes;
            sample.priorNanos = priorNanos;
            sample.sendNanos = sentNanos - priorFirstSentNanos;
            sample.isAppLimited = appLimited;
            firstSentNanos = sentNanos;
        }
    }

    void onLost() {
        epochLost++;
    }

    /** Takes the late arrival of a packet that was counted as lost. */
    void onFound() {
        epochLost = Math.max(0, epochLost - 1);
    }

    void onRoundTrip(long roundTripNanos, long nowNanos) {
        boolean isOld = nowNanos - minRoundTripSinceNanos > MIN_ROUND_TRIP_NANOS_MAX;
        if (roundTripNanos <= minRoundTripNanos) {
            minRoundTripNanos = roundTripNanos;
            minRoundTripSinceNanos = nowNanos;
        } else if (isOld && (isAppLimited() || phase == Phase.STARTUP)) {
            minRoundTripNanos = roundTripNanos;
            minRoundTripSinceNanos = nowNanos;
        } else if (isOld && phase == Phase.CYCLE) {
            // The queue may never have been empty: lets it drain, and the round trip measured meanwhile counts.
            phase = Phase.PROBE_ROUND_TRIP;
            probeEndNanos = nowNanos + 2 * minRoundTripNanos + 10 * MILLISECOND;
            minRoundTripNanos = roundTripNanos;
        }
    }

    /** Ends the reading of an acknowledgement. */
    void onAckEnd(long inFlightBytes, long nowNanos) {
        if (sample.isThere) {
            sample.isThere = false;
            isEpochMeasured |= !sample.isAppLimited;
            long ackNanos = nowNanos - sample.priorNanos;
            long intervalNanos = Math.max(1, Math.max(ackNanos, sample.sendNanos));
            double bandwidth = (double) (deliveredBytes - sample.priorBytes) / intervalNanos;
            if (intervalNanos >= minRoundTripNanos / 2 && (!sample.isAppLimited || bandwidth > bandwidth())) {
                bandwidths[epoch] = Math.max(bandwidths[epoch], bandwidth);
            }
            if (sample.priorBytes >= roundEndBytes) {
                roundEndBytes = deliveredBytes;
                onRound(nowNanos);
            }
        }
        if (phase == Phase.DRAIN && inFlightBytes <= holdsBytes()) {
            enterCycle(nowNanos);
        }
        if (phase == Phase.PROBE_ROUND_TRIP && nowNanos >= probeEndNanos) {
            minRoundTripSinceNanos = nowNanos;
            enterCycle(nowNanos);
        }
    }

    private void onRound(long nowNanos) {
        if (phase == Phase.STARTUP) {
            if (!sample.isAppLimited) {
                if (bandwidth() >= fullBandwidth * 1.25) {
                    fullBandwidth = bandwidth();
                    fullRounds = 0;
                } else if (++fullRounds >= 3) {
                    phase = Phase.DRAIN;
                }
            }
        }
        if (phase == Phase.CYCLE && cycleIndex > 1 && !sample.isAppLimited && isProbeDue(nowNanos)) {
            // The epoch begins anew, so that the probe has a whole one.
            epochAcked = 0;
            epochLost = 0;
            probe(nowNanos);
            return;
        }
        if (epochAcked + epochLost >= EPOCH_PACKETS_MIN) {
            if (isEpochMeasured) {
                endEpoch(nowNanos);
            } else {
                // A sender with little to send learns nothing about the path. Its estimates are kept.
                epochAcked = 0;
                epochLost = 0;
            }
        }
    }

    /** Returns whether the last probe is long ago: few long datagrams make long epochs, on a line that may hold far more. */
    private boolean isProbeDue(long nowNanos) {
        return nowNanos - probedNanos >= Math.max(PROBE_NANOS_MIN, CYCLE.length * minRoundTripNanos);
    }

    private void probe(long nowNanos) {
        cycleIndex = 0;
        probedNanos = nowNanos;
        probedBandwidth = bandwidth();
    }

    private void endEpoch(long nowNanos) {
        // On a long line, what the probe has sent arrives in the epoch after it.
        boolean hasGrown = phase == Phase.CYCLE && cycleIndex <= 1 && bandwidth() >= PROBE_GROWTH * probedBandwidth;
        losses[epoch] = (double) epochLost / Math.max(1, epochAcked + epochLost);
        epochAcked = 0;
        epochLost = 0;
        isEpochMeasured = false;
        epoch = (epoch + 1) % EPOCHS;
        bandwidths[epoch] = 0;
        losses[epoch] = 0;
        if (phase == Phase.CYCLE) {
            cycleIndex = (cycleIndex + 1) % CYCLE.length;
            if (hasGrown || cycleIndex == 0) {
                probe(nowNanos);
            }
        }
    }

    private void enterCycle(long nowNanos) {
        phase = Phase.CYCLE;
        probedNanos = nowNanos;
        cycleIndex = 2;
    }

    // ------------------------------------------------------------------ what follows

    /** Bytes per nanosecond; 0 if not known. */
    public double bandwidth() {
        double highest = 0;
        for (double bandwidth : bandwidths) {
            highest = Math.max(highest, bandwidth);
        }
        return highest;
    }

    /** The lowest loss of the epochs of a cycle. */
    public double loss() {
        double lowest = 1;
        for (int index = 1; index < EPOCHS; index++) {
            lowest = Math.min(lowest, losses[(epoch + index) % EPOCHS]);
        }
        return Math.min(lowest, LOSS_MAX);
    }

    long minRoundTripNanos() {
        return minRoundTripNanos;
    }

    /** Returns the capacity of the path in bytes, including those that will be lost. */
    private double holdsBytes() {
        return bandwidth() * minRoundTripNanos / (1 - loss());
    }

    private double pacingRate() {
        double bandwidth = bandwidth();
        double gain =
                switch (phase) {
                    case STARTUP -> STARTUP_GAIN;
                    case DRAIN -> 1 / STARTUP_GAIN;
                    case CYCLE -> CYCLE[cycleIndex];
                    case PROBE_ROUND_TRIP -> 1;
                };
        // After a time of small messages the estimate reflects those: the first window takes one round trip at most.
        double least = bandwidth == 0 ? 0 : (double) initialWindowBytes / minRoundTripNanos;
        return Math.max(least, gain * bandwidth / (1 - loss()));
    }

    private long burstNanos() {
        return minRoundTripNanos == Long.MAX_VALUE
                ? BURST_NANOS_MIN
                : Math.clamp(minRoundTripNanos / BURSTS_IN_ROUND_TRIP, BURST_NANOS_MIN, BURST_NANOS_MAX);
    }

    /** Returns the number of bytes that may be in flight. */
    public long windowBytes(int datagramBytes) {
        if (minRoundTripNanos == Long.MAX_VALUE || bandwidth() == 0) {
            return Math.max(initialWindowBytes, WINDOW_DATAGRAMS_MIN * datagramBytes);
        }
        double gain =
                switch (phase) {
                    case STARTUP -> STARTUP_GAIN;
                    case DRAIN, CYCLE -> WINDOW_GAIN;
                    case PROBE_ROUND_TRIP -> 0.5;
                };
        // A few more than the path holds: on a short path they wait for acknowledgements that come in bursts.
        long moreBytes = phase == Phase.PROBE_ROUND_TRIP ? 0 : MORE_DATAGRAMS * datagramBytes;
        return Math.max(WINDOW_DATAGRAMS_MIN * datagramBytes, (long) (gain * holdsBytes()) + moreBytes);
    }

    /** Returns the time from which the next datagram may be sent; it may be in the past. */
    public long nextSendNanos() {
        return nextSendNanos;
    }

    String phase() {
        return phase.name();
    }

    private static final long WINDOW_DATAGRAMS_MIN = 4;
    private static final long MORE_DATAGRAMS = 3;

    /** Highest loss rate that is compensated. */
    private static final double LOSS_MAX = 0.6;
}
