package dev.tutti.blocks.component;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Carries an exception that a method of a component declares through code that declares none. */
final class CheckedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Exception carried;

    private CheckedException(Exception carried) {
        super(carried.toString(), carried, false, false);
        this.carried = carried;
    }

    /** Returns the exception. */
    @Override
    public synchronized Exception getCause() {
        return carried;
    }

    /** Calls {@code code}; carries what it throws unless that needs no declaration. */
    static <T extends @Nullable Object> T unchecked(Callable<T> code) {
        try {
            return code.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new CheckedException(e);
        }
    }
}
