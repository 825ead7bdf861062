package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.calls.Audience;
import dev.tutti.blocks.presence.Attributes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A call to several members, still to be made. Immutable: may be kept and reused, from any thread. */
public final class CallToMany {

    private final CallClient caller;
    private final Audience audience;
    private final CallOptions options;

    CallToMany(CallClient caller, Audience audience, CallOptions options) {
        this.caller = caller;
        this.audience = audience;
        this.options = options;
    }

    /** Sets the time after which the call is over, 1 ms to 1 day. 10 seconds by default. */
    public CallToMany within(Duration timeout) {
        return new CallToMany(caller, audience, options.within(timeout));
    }

    /** Sets the values to wait for. {@link Wait#ALL} by default. */
    public CallToMany waitFor(Wait wait) {
        return new CallToMany(caller, audience, options.waitFor(wait));
    }

    /**
     * Sets the maximum size of a member's answer; a longer one becomes {@link Refusal#ANSWER_TOO_LONG}. 16 MiB by
     * default. Together with {@link #atOnce} it bounds the bytes that arrive at a time.
     */
    public CallToMany answerBytesMax(int bytes) {
        return new CallToMany(caller, audience, options.answerBytesMax(bytes));
    }

    /**
     * Limits the number of members that are asked at a time and have not answered; the next one is asked when there is
     * an outcome. {@link Wait#FIRST} and 1 ask one after the other until one has a value. Each member is then sent a
     * message of its own.
     */
    public CallToMany atOnce(int members) {
        return new CallToMany(caller, audience, options.atOnceMax(members));
    }

    /**
     * Sets that members near to this one are asked before others, for calls that are limited by {@link #atOnce}: {@code nearFirst(attributes,
     * "zone")} begins with the members of this node's zone, and {@code nearFirst(attributes, "rack", "zone")} with those of its rack. Members that
     * are equally near come in the order in which they were named; those of {@link Calls#toAll} and {@link Calls#toOthers} in the order of the view that
     * begins after this member, so that callers spread over them. Outcomes are in the order of asking.
     *
     * <p>It is decided when the call is made, by the attributes that are known then. A node without the attribute has no near members.
     *
     * @param names of attributes, the nearest first
     */
    public CallToMany nearFirst(Attributes attributes, String... names) {
        Arguments.required(attributes, "nearFirst: the attributes");
        String[] given = Arguments.allRequired(names, "nearFirst: the names of attributes").clone();
        return new CallToMany(caller, audience, options.order(members -> attributes.nearFirst(members, given)));
    }

    /**
     * Calls, and waits for the wanted number of values, for the outcome of every member, or for the deadline. Handlers
     * at members that have not answered by then continue until the deadline, and are cancelled there ({@link
     * CallContext#isCancelled}); {@link CompletableFuture#cancel cancelling} the future of {@link #start} cancels them
     * earlier.
     *
     * @throws CallException if the call could not be made, or the thread is interrupted; never because of members'
     *     outcomes
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> Outcomes<A> call(Procedure<Q, A> procedure, Q request) {
        return options.waitFor().isNone()
                ? caller.send(audience, procedure, request)
                : caller.await(caller.start(audience, procedure, request, options, null));
    }

    /** Begins a call, as {@link CallToOne#start} does. */
    public <Q extends @Nullable Object, A extends @Nullable Object> CompletableFuture<Outcomes<A>> start(
            Procedure<Q, A> procedure, Q request) {
        return options.waitFor().isNone()
                ? CompletableFuture.completedFuture(caller.send(audience, procedure, request))
                : caller.start(audience, procedure, request, options, null);
    }

    /**
     * Calls, and waits until the application has what it wants: a value that is new enough, the same value from two members, one of each site. Answers
     * that it does not look at are thereby ignored.
     *
     * @param enough tells, after each outcome, whether the call is over, in place of {@link #waitFor}. It gets the outcomes so far, with {@link
     *     Outcome.Unanswered} at members that have none; {@link Outcomes#isSatisfied} of the result is what it has returned last. It runs where answers
     *     are taken and must not wait
     * @return when {@code enough} has returned true, with the outcomes that it got; else when each member has an outcome, or at the deadline
     * @throws CallException as {@link #call} does; also if {@code enough} has thrown
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> Outcomes<A> callUntil(
            Procedure<Q, A> procedure, Q request, Predicate<? super Outcomes<A>> enough) {
        return caller.await(caller.start(audience, procedure, request, options, Arguments.required(enough, "callUntil: the condition")));
    }

    /** Begins a call that is over as {@link #callUntil} says. */
    public <Q extends @Nullable Object, A extends @Nullable Object> CompletableFuture<Outcomes<A>> startUntil(
            Procedure<Q, A> procedure, Q request, Predicate<? super Outcomes<A>> enough) {
        return caller.start(audience, procedure, request, options, Arguments.required(enough, "startUntil: the condition"));
    }

    /** Sends a request and wants no answers, as {@link Wait#NONE} does. */
    public <Q extends @Nullable Object> void send(Procedure<Q, ?> procedure, Q request) {
        caller.send(audience, procedure, request);
    }

    /**
     * Calls a method of a service at each of the members: {@code calls.toAll().call(STORE, store -> store.size())}.
     *
     * @param use calls one method of its argument, which only records the call
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

    /** Calls a method of a service at each of the members, and waits as {@link #callUntil(Procedure, Object, Predicate)} does. */
    @SuppressWarnings("unchecked") // the method's signature says so
    public <S, A extends @Nullable Object> Outcomes<A> callUntil(
            Service<S> service, Function<? super S, A> use, Predicate<? super Outcomes<A>> enough) {
        Service.Invocation noted = Arguments.required(service, "the service").record(Arguments.required(use, "the function that calls a method"));
        Predicate<Outcomes<?>> untyped = outcomes -> enough.test((Outcomes<A>) outcomes);
        return (Outcomes<A>) (Outcomes<?>) callUntil(noted.procedure(), noted.arguments(), untyped);
    }

    /** Begins to call a method of a service at each of the members; the call is over as {@link #callUntil(Procedure, Object, Predicate)} says. */
    @SuppressWarnings("unchecked") // the method's signature says so
    public <S, A extends @Nullable Object> CompletableFuture<Outcomes<A>> startUntil(
            Service<S> service, Function<? super S, A> use, Predicate<? super Outcomes<A>> enough) {
        Service.Invocation noted = Arguments.required(service, "the service").record(Arguments.required(use, "the function that calls a method"));
        Predicate<Outcomes<?>> untyped = outcomes -> enough.test((Outcomes<A>) outcomes);
        return (CompletableFuture<Outcomes<A>>) (CompletableFuture<?>) startUntil(noted.procedure(), noted.arguments(), untyped);
    }
}
