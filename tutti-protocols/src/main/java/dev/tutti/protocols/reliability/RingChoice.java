package dev.tutti.protocols.reliability;

/**
 * Chooses between the ring and sending to each member directly, by measured throughput.
 *
 * <p>A sender with much in flight at several looks in a row, while its CPU was not busy, is limited by the network. It
 * tries the ring, and keeps to it if that gains a tenth. Otherwise it goes back and tries again later, with doubling
 * pauses. It leaves the ring when it sends less than half of its rate without it.
 */
final class RingChoice {

    /** Number of members below which a ring saves less than it costs. */
    private static final int MEMBERS_MIN = 3;

    private static final int LOOKS = 4;

    /** Looks of a trial that do not count, while earlier packets are still in flight. */
    private static final int SETTLE_LOOKS = 2;

    private static final int PAUSE_LOOKS = 40;
    private static final int PAUSE_LOOKS_MAX = 1_200;

    private enum State {
        FAN_OUT,
        TRIAL,
        RING
    }

    private State state = State.FAN_OUT;
    private boolean isProcessorBusy;
    private int looks;
    private int pause;
    private int nextPause = PAUSE_LOOKS;

    // Bytes sent and time at the start of the measurement.
    private long startBytes;
    private long startNanos;

    /** Throughput of sending to each directly, in bytes per second. */
    private double fanOutRate;

    boolean isRing() {
        return state != State.FAN_OUT;
    }

    void onProcessor(boolean isBusy) {
        isProcessorBusy = isBusy;
    }

    void startView() {
        state = State.FAN_OUT;
        looks = 0;
        pause = 0;
        nextPause = PAUSE_LOOKS;
    }

    /**
     * @param isHeldUp whether there is much in flight
     * @param sentBytes bytes ever sent to all
     * @return whether the choice has changed
     */
    boolean look(boolean isHeldUp, long sentBytes, long nowNanos, int members) {
        boolean wasRing = isRing();
        switch (state) {
            case FAN_OUT -> lookAtFanOut(isHeldUp && !isProcessorBusy && MEMBERS_MIN <= members, sentBytes, nowNanos);
            case TRIAL -> lookAtTrial(sentBytes, nowNanos);
            case RING -> lookAtRing(sentBytes, nowNanos);
        }
        return wasRing != isRing();
    }

    private void lookAtFanOut(boolean isBound, long sentBytes, long nowNanos) {
        pause = Math.max(0, pause - 1);
        if (!isBound || pause > 0 || looks == 0) {
            looks = isBound && pause == 0 ? 1 : 0;
            start(sentBytes, nowNanos);
        } else if (looks++ == LOOKS) {
            fanOutRate = rate(sentBytes, nowNanos);
            state = State.TRIAL;
            looks = 0;
        }
    }

    private void lookAtTrial(long sentBytes, long nowNanos) {
        looks++;
        if (looks == SETTLE_LOOKS) {
            start(sentBytes, nowNanos);
        } else if (looks == SETTLE_LOOKS + LOOKS) {
            looks = 0;
            if (rate(sentBytes, nowNanos) >= fanOutRate * GAIN) {
                state = State.RING;
                nextPause = PAUSE_LOOKS;
                start(sentBytes, nowNanos);
            } else {
                state = State.FAN_OUT;
                pause = nextPause;
                nextPause = Math.min(PAUSE_LOOKS_MAX, 2 * nextPause);
            }
        }
    }

    private void lookAtRing(long sentBytes, long nowNanos) {
        looks = rate(sentBytes, nowNanos) < fanOutRate / 2 ? looks + 1 : 0;
        start(sentBytes, nowNanos);
        if (looks == LOOKS) {
            state = State.FAN_OUT;
            looks = 0;
        }
    }

    private void start(long sentBytes, long nowNanos) {
        startBytes = sentBytes;
        startNanos = nowNanos;
    }

    private double rate(long sentBytes, long nowNanos) {
        return (sentBytes - startBytes) * 1e9 / Math.max(1, nowNanos - startNanos);
    }

    /** Factor by which the ring has to be faster. */
    private static final double GAIN = 1.1;
}
