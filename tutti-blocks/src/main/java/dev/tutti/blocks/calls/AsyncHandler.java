package dev.tutti.blocks.calls;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Answers calls of a procedure later, without a thread that waits. */
@FunctionalInterface
public interface AsyncHandler<Q extends @Nullable Object, A extends @Nullable Object> {

    /**
     * Begins to answer a call. Must not wait for anything, because it runs on the group's thread.
     *
     * @return completes with the answer, or with an exception that the caller gets as a failure
     * @throws Exception that the caller gets as the outcome, like one that the stage completes with
     */
    CompletionStage<A> handle(Q request, CallContext context) throws Exception;
}
