package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A call to one member, still to be made. Immutable: may be kept and reused, from any thread. */
public final class CallToOne {

    private final CallClient caller;
    private final Member member;
    private final CallOptions options;

    CallToOne(CallClient caller, Member member, CallOptions options) {
        this.caller = caller;
        this.member = member;
        this.options = options;
    }

    /** Sets the time after which the call is over, 1 ms to 1 day. 10 seconds by default. */
    public CallToOne within(Duration timeout) {
        return new CallToOne(caller, member, options.within(timeout));
    }

    /** Sets the maximum size of the answer; a longer one becomes {@link Refusal#ANSWER_TOO_LONG}. 16 MiB by default. */
    public CallToOne answerBytesMax(int bytes) {
        return new CallToOne(caller, member, options.answerBytesMax(bytes));
    }

    /**
     * Calls, and waits for the value. Not for listeners and inline handlers: they would block the thread that takes the
     * answer.
     *
     * @throws CallException with the outcome if there is no value; if the thread is interrupted, the call is cancelled
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> A call(Procedure<Q, A> procedure, Q request) {
        return caller.await(caller.start(member, procedure, request, options));
    }

    /**
     * Begins a call without waiting, not even for the network: a request that can't be sent at once is sent later,
     * within the deadline.
     *
     * @return completes with the value, or with a {@link CallException}; cancelling it cancels the handler
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> CompletableFuture<A> start(
            Procedure<Q, A> procedure, Q request) {
        return caller.start(member, procedure, request, options);
    }

    /**
     * Sends a request that wants no answer. It arrives if the member stays in the view; a failure of its handler is not
     * reported.
     *
     * @throws CallException if the member is not in the view, or too much waits to be sent
     */
    public <Q extends @Nullable Object> void send(Procedure<Q, ?> procedure, Q request) {
        caller.send(member, procedure, request);
    }

    /** Returns an implementation of the service whose methods call the member. They throw what {@link #call} does. */
    public <S> S proxy(Service<S> service) {
        return Arguments.required(service, "proxy: the service").proxy(this);
    }
}
