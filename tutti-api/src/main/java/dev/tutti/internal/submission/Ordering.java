package dev.tutti.internal.submission;

import org.jspecify.annotations.Nullable;

/**
 * Messages that a message is ordered with: all of its sender, those in a scope, or none.
 *
 * @param scope number of the scope on the wire; null for a message in none
 * @param isOutOfBand whether it is in order with nothing
 */
public record Ordering(@Nullable Integer scope, boolean isOutOfBand) {

    /** Order with all messages that are in no scope. */
    public static final Ordering ALL = new Ordering(null, false);

    public static final Ordering OUT_OF_BAND = new Ordering(null, true);

    public static Ordering inScope(int number) {
        return new Ordering(number, false);
    }
}
