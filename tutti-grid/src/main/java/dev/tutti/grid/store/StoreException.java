package dev.tutti.grid.store;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown by a store that can't do what it was asked to. The message says why, and which store it is. */
public final class StoreException extends Exception {

    @Serial
    private static final long serialVersionUID = 1;

    /** @param message reason, as a sentence without its full stop */
    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
