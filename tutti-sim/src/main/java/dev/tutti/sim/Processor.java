package dev.tutti.sim;

import java.util.SplittableRandom;

/** Processor of a node: the duration of its turns, and the precision of its timers. */
final class Processor {

    private static final int HASTY_ONE_IN = 4;

    private final SplittableRandom random;
    private long turnNanos = 1_000;
    private long inputNanos = 200;
    private long coldNanos;
    private long coldHalfNanos = 1;
    private boolean isHasty;
    private long lateNanosMax;

    Processor(SplittableRandom random) {
        this.random = random;
    }

    void setTurn(long turnNanos, long inputNanos) {
        if (turnNanos < 1) {
            throw new IllegalArgumentException("a turn of " + turnNanos + " ns, at least 1");
        }
        this.turnNanos = turnNanos;
        this.inputNanos = inputNanos;
    }

    void setColdTurns(long turnNanos, long halvedEveryNanos) {
        if (turnNanos < 0 || halvedEveryNanos < 1) {
            throw new IllegalArgumentException("cold turns of " + turnNanos + " ns, halved every " + halvedEveryNanos + " ns");
        }
        coldNanos = turnNanos;
        coldHalfNanos = halvedEveryNanos;
    }

    void setTimers(boolean isHasty, long lateNanosMax) {
        this.isHasty = isHasty;
        this.lateNanosMax = lateNanosMax;
    }

    /**
     * Returns the duration of a turn.
     *
     * @param ageNanos time since the start of the process, whose first turns may take longer
     */
    long turnNanos(int inputs, long ageNanos) {
        long halvings = Math.min(Long.SIZE - 1, ageNanos / coldHalfNanos);
        long bound = coldNanos >> halvings;
        return turnNanos + inputs * inputNanos + (bound == 0 ? 0 : random.nextLong(bound));
    }

    /** Decides whether the timer is called although no timer is due. */
    boolean isHasty() {
        return isHasty && random.nextInt(HASTY_ONE_IN) == 0;
    }

    /** Returns the delay of a timer. */
    long lateNanos() {
        return lateNanosMax == 0 ? 0 : random.nextLong(lateNanosMax + 1);
    }
}
