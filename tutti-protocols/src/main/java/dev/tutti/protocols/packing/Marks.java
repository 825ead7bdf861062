package dev.tutti.protocols.packing;

import org.jspecify.annotations.Nullable;

/**
 * Marks of a message, besides its bytes. Immutable.
 *
 * @param scope number of the scope that it is ordered in; null for a message in none
 * @param isOutOfBand whether it is in order with nothing; it is in no scope then
 * @param isForOthers whether its sender does not deliver it
 */
public record Marks(@Nullable Integer scope, boolean isOutOfBand, boolean isForOthers) {

    /** Marks of a message that is in order with all messages that are in no scope. */
    public static final Marks NONE = new Marks(null, false, false);

    public static final Marks OUT_OF_BAND = new Marks(null, true, false);

    public Marks {
        if (isOutOfBand && scope != null) {
            throw new IllegalArgumentException("a message out of band in scope " + scope);
        }
    }

    public static Marks inScope(int number) {
        return new Marks(number, false, false);
    }

    /** Returns these marks for a message that its sender does not deliver. */
    public Marks forOthers() {
        return isForOthers ? this : new Marks(scope, isOutOfBand, true);
    }

    /** Returns the first byte of a packet of such messages. */
    int wholeKind() {
        int kind = isOutOfBand ? Records.OUT_OF_BAND : scope == null ? Records.WHOLE : Records.SCOPED;
        return isForOthers ? kind | Records.FOR_OTHERS : kind;
    }

    /** Returns the first byte of a piece of such a message. */
    int pieceKind() {
        int kind = scope == null ? Records.PIECE : Records.SCOPED_PIECE;
        return isForOthers ? kind | Records.FOR_OTHERS : kind;
    }

    /** Returns the bytes that the scope takes in each message, and in each piece. */
    int scopeBytes() {
        return scope == null ? 0 : Records.SCOPE_BYTES;
    }
}
