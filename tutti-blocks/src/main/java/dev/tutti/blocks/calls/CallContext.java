package dev.tutti.blocks.calls;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;

/** What a handler may know about the call that it answers. From any thread. */
public interface CallContext {

    /** Who calls. */
    Member caller();

    /** The view that the request was delivered in; for a call to all, the same at all who handle it. */
    View view();

    /** Until the caller's deadline; nothing if it has passed. Very long for calls that want no answer. */
    Duration remaining();

    /**
     * Whether nobody waits for the answer any more: the caller has cancelled, its deadline has passed, it has left the view,
     * or these calls were closed. A handler with a thread of its own is interrupted then.
     */
    boolean isCancelled();

    /**
     * Runs {@code action} when the call is cancelled, on a thread of its own after those that were given before; at once, on the calling
     * thread, if it is cancelled already. Not after it was answered.
     *
     * @param action counts among the handlers that run as long as it does not return
     */
    void onCancel(Runnable action);
}
