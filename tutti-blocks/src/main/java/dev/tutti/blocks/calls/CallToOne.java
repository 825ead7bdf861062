package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.Arguments;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How one member is to be called. Immutable: may be kept and used again, from any thread. */
public final class CallToOne {

    private final Caller caller;
    private final Member member;
    private final CallOptions options;

    CallToOne(Caller caller, Member member, CallOptions options) {
        this.caller = caller;
        this.member = member;
        this.options = options;
    }

    /** The call is over after so long, 1 ms to 1 day. 10 seconds by default. */
    public CallToOne within(Duration timeout) {
        return new CallToOne(caller, member, options.within(timeout));
    }

    /** A longer answer is not sent, but {@link Refusal#ANSWER_TOO_LONG}. 16 MiB by default. */
    public CallToOne answerBytesMax(int bytes) {
        return new CallToOne(caller, member, options.answerBytesMax(bytes));
    }

    /**
     * Calls, and waits for the value. Not by listeners and inline handlers: they would keep the answer from coming.
     *
     * @throws CallException if there is no value, with the outcome; if the thread is interrupted, the call is cancelled
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> A call(Procedure<Q, A> procedure, Q request) {
        return caller.await(caller.start(member, procedure, request, options));
    }

    /**
     * Begins a call. Does not wait, for the network neither: what can't be sent at once is sent later, or the deadline comes.
     *
     * @return completes with the value, or with a {@link CallException}; cancelling it cancels the handler
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> CompletableFuture<A> start(
            Procedure<Q, A> procedure, Q request) {
        return caller.start(member, procedure, request, options);
    }

    /**
     * Sends a request and wants no answer. It arrives if the member stays in the view; nobody tells whether its handler fails.
     *
     * @throws CallException if it is not in the view, or too much waits to be sent
     */
    public <Q extends @Nullable Object> void send(Procedure<Q, ?> procedure, Q request) {
        caller.send(member, procedure, request);
    }

    /** Something whose methods call the member so. They throw what {@link #call} does. */
    public <S> S proxy(Service<S> service) {
        return Arguments.required(service, "proxy: the service").proxy(this);
    }
}
