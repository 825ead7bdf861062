package dev.tutti.protocols.datagram;

/**
 * How much may be under way, from how fast it arrives: a model of the path rather than a reaction to loss.
 *
 * <p>After BBR (Cardwell et al., 2016; draft-ietf-ccwg-bbr): the highest delivery rate seen lately times the shortest
 * round trip is what the path holds. The window is twice that, and sending is paced; in a cycle a little more is tried,
 * then less, so that the queue which the first has built drains. Delivery rates are sampled as in
 * draft-cheng-iccrg-delivery-rate-estimation.
 *
 * <p>Loss that does not depend on the rate is made up for: pacing divides by what arrives. What counts is the
 * <em>lowest</em> loss of the last cycle. Loss from a full queue vanishes in the part of the cycle that sends less, so
 * that the lowest goes down cycle by cycle and the rate with it; random loss stays in all parts.
 */
final class Congestion {

    private static final double[] CYCLE = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
    private static final double STARTUP_GAIN = 2.77;
    private static final double WINDOW_GAIN = 2;
    private static final int EPOCHS = CYCLE.length + 2;

    private static final long MILLISECOND = 1_000_000;

    /** How late a timer may be without loss of rate: so much may be sent at once. */
    private static final long BURST_NANOS = MILLISECOND;

    private static final long MIN_ROUND_TRIP_NANOS_MAX = 10_000 * MILLISECOND;
    private static final int EPOCH_PACKETS_MIN = 40;

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

    // The sample of the acknowledgement that is being read.
    private boolean isSample;
    private long samplePriorBytes;
    private long samplePriorNanos;
    private long sampleSendNanos;
    private boolean isSampleAppLimited;

    // Rounds and epochs: an epoch has one round trip at least, and enough packets to tell a loss rate.
    private long roundEndBytes;
    private int epochAcked;
    private int epochLost;

    /** Whether it had a sample that was not limited by how little there was to send. */
    private boolean isEpochMeasured;

    private final double[] bandwidths = new double[EPOCHS];
    private final double[] losses = new double[EPOCHS];
    private int epoch;
    private double fullBandwidth;
    private int fullRounds;

    private long minRoundTripNanos = Long.MAX_VALUE;
    private long minRoundTripSinceNanos;
    private long probeEndNanos;
    private long nextSendNanos;

    Congestion(int initialWindowBytes) {
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
            nextSendNanos = Math.max(nextSendNanos, nowNanos - BURST_NANOS) + (long) (bytes / rate);
        }
    }

    /** Nothing more to send, though more might be under way. */
    void onAppLimited(long inFlightBytes) {
        appLimitedUntilBytes = deliveredBytes + Math.max(1, inFlightBytes);
    }

    /** A packet has arrived that remembers the given state. */
    void onDelivered(
            int bytes, long priorBytes, long priorNanos, long priorFirstSentNanos, long sentNanos, boolean appLimited,
            long nowNanos) {
        deliveredBytes += bytes;
        deliveredNanos = nowNanos;
        epochAcked++;
        if (!isSample || priorBytes >= samplePriorBytes) {
            isSample = true;
            samplePriorBytes = priorBytes;
            samplePriorNanos = priorNanos;
            sampleSendNanos = sentNanos - priorFirstSentNanos;
            isSampleAppLimited = appLimited;
            firstSentNanos = sentNanos;
        }
    }

    void onLost() {
        epochLost++;
    }

    /** A packet that was taken for lost has arrived after all. */
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
            // The queue may never have been empty: it is let run empty, and what it takes then counts.
            phase = Phase.PROBE_ROUND_TRIP;
            probeEndNanos = nowNanos + 2 * minRoundTripNanos + 10 * MILLISECOND;
            minRoundTripNanos = roundTripNanos;
        }
    }

    /** The acknowledgement has been read. */
    void onAckEnd(long inFlightBytes, long nowNanos) {
        if (isSample) {
            isSample = false;
            isEpochMeasured |= !isSampleAppLimited;
            long ackNanos = nowNanos - samplePriorNanos;
            long intervalNanos = Math.max(1, Math.max(ackNanos, sampleSendNanos));
            double bandwidth = (double) (deliveredBytes - samplePriorBytes) / intervalNanos;
            if (intervalNanos >= minRoundTripNanos / 2 && (!isSampleAppLimited || bandwidth > bandwidth())) {
                bandwidths[epoch] = Math.max(bandwidths[epoch], bandwidth);
            }
            if (samplePriorBytes >= roundEndBytes) {
                roundEndBytes = deliveredBytes;
                onRound();
            }
        }
        if (phase == Phase.DRAIN && inFlightBytes <= holdsBytes()) {
            enterCycle();
        }
        if (phase == Phase.PROBE_ROUND_TRIP && nowNanos >= probeEndNanos) {
            minRoundTripSinceNanos = nowNanos;
            enterCycle();
        }
    }

    private void onRound() {
        if (phase == Phase.STARTUP) {
            if (!isSampleAppLimited) {
                if (bandwidth() >= fullBandwidth * 1.25) {
                    fullBandwidth = bandwidth();
                    fullRounds = 0;
                } else if (++fullRounds >= 3) {
                    phase = Phase.DRAIN;
                }
            }
        }
        if (epochAcked + epochLost >= EPOCH_PACKETS_MIN) {
            if (isEpochMeasured) {
                endEpoch();
            } else {
                // Who sends little learns nothing of the path, and forgets nothing either.
                epochAcked = 0;
                epochLost = 0;
            }
        }
    }

    private void endEpoch() {
        losses[epoch] = (double) epochLost / Math.max(1, epochAcked + epochLost);
        epochAcked = 0;
        epochLost = 0;
        isEpochMeasured = false;
        epoch = (epoch + 1) % EPOCHS;
        bandwidths[epoch] = 0;
        losses[epoch] = 0;
        if (phase == Phase.CYCLE) {
            cycleIndex = (cycleIndex + 1) % CYCLE.length;
        }
    }

    private void enterCycle() {
        phase = Phase.CYCLE;
        cycleIndex = 2;
    }

    // ------------------------------------------------------------------ what follows

    /** Bytes per nanosecond; 0 if not known. */
    double bandwidth() {
        double highest = 0;
        for (double bandwidth : bandwidths) {
            highest = Math.max(highest, bandwidth);
        }
        return highest;
    }

    /** The lowest loss of the epochs of a cycle. */
    double loss() {
        double lowest = 1;
        for (int index = 1; index < EPOCHS; index++) {
            lowest = Math.min(lowest, losses[(epoch + index) % EPOCHS]);
        }
        return Math.min(lowest, LOSS_MAX);
    }

    long minRoundTripNanos() {
        return minRoundTripNanos;
    }

    /** What the path holds, what gets lost on it included. */
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
        // After a time of small messages the estimate is one of these; the first window is never slower than a round trip.
        double least = bandwidth == 0 ? 0 : (double) initialWindowBytes / minRoundTripNanos;
        return Math.max(least, gain * bandwidth / (1 - loss()));
    }

    /** What may be under way. */
    long windowBytes(int datagramBytes) {
        if (minRoundTripNanos == Long.MAX_VALUE || bandwidth() == 0) {
            return Math.max(initialWindowBytes, WINDOW_DATAGRAMS_MIN * datagramBytes);
        }
        double gain =
                switch (phase) {
                    case STARTUP -> STARTUP_GAIN;
                    case DRAIN, CYCLE -> WINDOW_GAIN;
                    case PROBE_ROUND_TRIP -> 0.5;
                };
        // A few more than the path holds: on a short path they are what waits for acknowledgements that come in bursts.
        long moreBytes = phase == Phase.PROBE_ROUND_TRIP ? 0 : MORE_DATAGRAMS * datagramBytes;
        return Math.max(WINDOW_DATAGRAMS_MIN * datagramBytes, (long) (gain * holdsBytes()) + moreBytes);
    }

    /** When the next datagram may leave; it may be past. */
    long nextSendNanos() {
        return nextSendNanos;
    }

    String phase() {
        return phase.name();
    }

    private static final long WINDOW_DATAGRAMS_MIN = 4;
    private static final long MORE_DATAGRAMS = 3;

    /** More loss than that is not made up for. */
    private static final double LOSS_MAX = 0.6;
}
