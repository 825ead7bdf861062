package dev.tutti.protocols.reliability;

/**
 * Whether this member's multicasts go round the ring or to each at once, by what has turned out to be faster.
 *
 * <p>A sender that has had much under way at each of some looks, while its processor had time, is held up by the network.
 * It tries the ring, and keeps to it if that brings a tenth more; else it goes back and tries later, each time twice as
 * late. On the ring it stays until it sends less than half of what it could without.
 */
final class RingChoice {

    /** In fewer members a ring saves less than it costs. */
    private static final int MEMBERS_MIN = 3;

    private static final int LOOKS = 4;

    /** Looks of a trial that do not count: what was under way before has to come to its end. */
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

    // What is measured began with so many bytes sent, then.
    private long startBytes;
    private long startNanos;

    /** What sending to each at once has brought, in bytes a second. */
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
     * @param isHeldUp whether there is much under way
     * @param sentBytes to all, ever
     * @return whether the way has changed
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

    /** How much faster the ring has to be. */
    private static final double GAIN = 1.1;
}
