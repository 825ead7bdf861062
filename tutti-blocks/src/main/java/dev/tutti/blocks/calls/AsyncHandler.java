package dev.tutti.blocks.calls;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Answers calls of a procedure later, without a thread that waits. */
@FunctionalInterface
public interface AsyncHandler<Q extends @Nullable Object, A extends @Nullable Object> {

    /**
     * Begins to answer a call. Must not wait for anything: it is on the group's thread.
     *
     * @return completes with the answer, or with what the caller is told as a failure
     * @throws Exception as the caller's outcome, like one that the stage completes with
     */
    CompletionStage<A> handle(Q request, CallContext context) throws Exception;
}
