package dev.tutti.study.process;

/** Pauses of measuring threads. */
public final class Pause {

    private Pause() {}

    /** Waits. */
    public static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StudyException("interrupted");
        }
    }

    /** Waits until a time of {@link System#nanoTime}; returns at once if it has passed. */
    public static void until(long nanos) {
        long left = nanos - System.nanoTime();
        if (left > 0) {
            try {
                Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StudyException("interrupted");
            }
        }
    }
}
