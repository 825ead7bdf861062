package dev.tutti.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits of tests in real time.
 *
 * <p>The limit is a guard against a test that never ends, not an assertion about speed: it is far beyond what a busy
 * machine takes. A condition that can be signalled is better waited for with a latch or a future.
 */
public final class Await {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PAUSE_MIN = Duration.ofMillis(2);
    private static final Duration PAUSE_MAX = Duration.ofMillis(50);

    /** Part of the time waited that the next pause takes: a condition may be expensive, and few looks are late by more. */
    private static final int PAUSE_PART = 16;

    private Await() {}

    /**
     * Waits until {@code condition} holds.
     *
     * @param what name of the condition in the failure's message
     * @throws AssertionError if it does not hold within a minute, or the thread is interrupted
     */
    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /** Does the same as {@link #until(String, BooleanSupplier)}, with a name that is made when the wait has failed. */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        until(LIMIT, what, condition);
    }

    static void until(Duration limit, Supplier<String> what, BooleanSupplier condition) {
        long startNanos = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waitedNanos = System.nanoTime() - startNanos;
            if (waitedNanos > limit.toNanos()) {
                throw new AssertionError("not within " + limit.toSeconds() + " s: " + what.get());
            }
            pause(Math.clamp(waitedNanos / PAUSE_PART, PAUSE_MIN.toNanos(), PAUSE_MAX.toNanos()), what);
        }
    }

    private static void pause(long nanos, Supplier<String> what) {
        try {
            Thread.sleep(Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting: " + what.get(), e);
        }
    }
}
