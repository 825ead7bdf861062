package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.Arguments;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How several members are to be called. Immutable: may be kept and used again, from any thread. */
public final class CallToMany {

    private final Caller caller;
    private final Audience audience;
    private final CallOptions options;

    CallToMany(Caller caller, Audience audience, CallOptions options) {
        this.caller = caller;
        this.audience = audience;
        this.options = options;
    }

    /** The call is over after so long, 1 ms to 1 day. 10 seconds by default. */
    public CallToMany within(Duration timeout) {
        return new CallToMany(caller, audience, options.within(timeout));
    }

    /** How many values to wait for. {@link Wait#ALL} by default. */
    public CallToMany waitFor(Wait wait) {
        return new CallToMany(caller, audience, options.waitFor(wait));
    }

    /**
     * A longer answer of a member is not sent, but {@link Refusal#ANSWER_TOO_LONG}. 16 MiB by default. With {@link #atOnce} it
     * bounds what comes in at a time.
     */
    public CallToMany answerBytesMax(int bytes) {
        return new CallToMany(caller, audience, options.answerBytesMax(bytes));
    }

    /**
     * So many members at most are asked and have not answered at a time; the next one is asked when there is an outcome. With
     * {@link Wait#FIRST} and 1, one after the other until one has a value. Members are then asked by messages of their own.
     */
    public CallToMany atOnce(int members) {
        return new CallToMany(caller, audience, options.atOnceMax(members));
    }

    /**
     * Calls, and waits for as many values as it is to wait for, for the outcome of every member, or for the deadline. Members
     * that have not answered when enough others have go on all the same: only {@link CompletableFuture#cancel cancelling}
     * stops handlers.
     *
     * @throws CallException if the call could not be made, or the thread is interrupted; never for what members say
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> Outcomes<A> call(Procedure<Q, A> procedure, Q request) {
        return options.waitFor().isNone()
                ? caller.send(audience, procedure, request)
                : caller.await(caller.start(audience, procedure, request, options));
    }

    /** Begins a call, as {@link CallToOne#start} does. */
    public <Q extends @Nullable Object, A extends @Nullable Object> CompletableFuture<Outcomes<A>> start(
            Procedure<Q, A> procedure, Q request) {
        return options.waitFor().isNone()
                ? CompletableFuture.completedFuture(caller.send(audience, procedure, request))
                : caller.start(audience, procedure, request, options);
    }

    /** Sends a request and wants no answers, as {@link Wait#NONE} does. */
    public <Q extends @Nullable Object> void send(Procedure<Q, ?> procedure, Q request) {
        caller.send(audience, procedure, request);
    }

    /**
     * Calls a method of a service at each of the members: {@code calls.toAll().call(STORE, store -> store.size())}.
     *
     * @param use calls one method of what it is given, which only notes it
     */
    @SuppressWarnings("unchecked") // the method's signature says so
    public <S, A extends @Nullable Object> Outcomes<A> call(Service<S> service, Function<? super S, A> use) {
        Service.Invocation noted = Arguments.required(service, "the service").record(Arguments.required(use, "the function that calls a method"));
        return (Outcomes<A>) (Outcomes<?>) call(noted.procedure(), noted.arguments());
    }

    /** Begins to call a method of a service at each of the members. */
    @SuppressWarnings("unchecked") // the method's signature says so
    public <S, A extends @Nullable Object> CompletableFuture<Outcomes<A>> start(
            Service<S> service, Function<? super S, A> use) {
        Service.Invocation noted = Arguments.required(service, "the service").record(Arguments.required(use, "the function that calls a method"));
        return (CompletableFuture<Outcomes<A>>) (CompletableFuture<?>) start(noted.procedure(), noted.arguments());
    }
}
