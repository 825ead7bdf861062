package dev.tutti.blocks.component;

/** Thrown by a method of a passive {@link Component} that has thrown at the primary; the state is as it was before. */
public final class ComponentException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ComponentException(String message) {
        super(message, null, false, true);
    }

    /** Returns the same exception with the stack of the caller. */
    ComponentException here() {
        return new ComponentException(String.valueOf(getMessage()));
    }
}
