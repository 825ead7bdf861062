package dev.tutti.blocks.calls;

import org.jspecify.annotations.Nullable;

/** Answers calls of a procedure. */
@FunctionalInterface
public interface Handler<Q extends @Nullable Object, A extends @Nullable Object> {

    /**
     * Answers a call.
     *
     * @throws Exception that the caller gets as the outcome: the name of its type and its message
     */
    A handle(Q request, CallContext context) throws Exception;
}
