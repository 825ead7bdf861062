package dev.tutti.blocks.calls;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;

/** Context of a call, for its handler. May be used from any thread. */
public interface CallContext {

    /** Returns the member that calls. */
    Member caller();

    /** Returns the view in which the request was delivered; for a call to all, the same at all its handlers. */
    View view();

    /** Returns the time until the caller's deadline; zero if it has passed, very long for calls that want no answer. */
    Duration remaining();

    /**
     * Returns whether nobody waits for the answer any more: the caller has cancelled, its deadline has passed, it has
     * left the view, or these calls were closed. A handler with a thread of its own is interrupted then.
     */
    boolean isCancelled();

    /**
     * Runs {@code action} when the call is cancelled, on a thread of its own after earlier actions; at once, on the
     * calling thread, if it is cancelled already. It does not run after the call was answered.
     *
     * @param action counts as a running handler until it returns
     */
    void onCancel(Runnable action);
}
