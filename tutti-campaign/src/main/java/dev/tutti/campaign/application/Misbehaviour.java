package dev.tutti.campaign.application;

import org.jspecify.annotations.Nullable;

/** Exceptions that the callbacks of one member throw, and the first error among them, which ends the membership. */
final class Misbehaviour {

    private final Mischief mischief;
    private final boolean mayBeError;
    private @Nullable String error;

    /** @param mayBeError whether errors are thrown, too; only exceptions otherwise */
    Misbehaviour(Mischief mischief, boolean mayBeError) {
        this.mischief = mischief;
        this.mayBeError = mayBeError;
    }

    /** Throws an exception if the callback is to throw one now. */
    void at(String callback, boolean isSeldomCalled) {
        Mischief.Kind kind =
                isSeldomCalled ? mischief.chooseOften(callback, mayBeError) : mischief.choose(callback, mayBeError);
        if (kind != null) {
            if (kind.isError() && error == null) {
                error = callback + ": " + kind;
            }
            Mischief.throwIt(kind, callback);
        }
    }

    /** Returns the callback that threw an error, and the error; null if none did. */
    @Nullable String error() {
        return error;
    }
}
