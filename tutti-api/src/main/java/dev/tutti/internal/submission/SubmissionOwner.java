package dev.tutti.internal.submission;

import dev.tutti.UnstableException;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The services of a group for its {@link SubmissionQueue}. */
public interface SubmissionOwner {

    /** Wakes the loop because something was submitted. */
    void wake();

    /** Returns the kind of the current thread. */
    SubmissionQueue.Caller caller();

    /** Returns consumed packets and has the stack look at submitted messages; calls {@link SubmissionQueue#onLook} before. */
    void look();

    /** Returns this member; null before it has joined. */
    @Nullable Member self();

    /** Returns whether other threads than the one that delivers in order will consume messages. */
    boolean isConsumingAside();

    /** Notes that a send has waited long. Must return at once. */
    void onWaited(long nanos, String reason);

    /** Returns a new exception, which only the package of the API can create. */
    UnstableException unstable(
            UnstableException.Reason reason,
            String message,
            Member sender,
            Delivery known,
            CompletableFuture<Delivery> settled);
}
