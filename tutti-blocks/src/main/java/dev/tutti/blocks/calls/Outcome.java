package dev.tutti.blocks.calls;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of a call at one member.
 *
 * <p>A member that has answered has executed the call once. One that was {@link Suspected} or {@link TimedOut} has
 * executed it once or not at all, which is unknown; one that was {@link Unreachable} has not.
 */
public sealed interface Outcome<A extends @Nullable Object> {

    /** The member has answered. */
    record Value<A extends @Nullable Object>(A value) implements Outcome<A> {}

    /**
     * The handler has failed.
     *
     * @param type the name of its exception's class, as text; at most 200 characters
     * @param message that of its exception, empty if it had none; at most 1,000 characters
     */
    record Failure<A extends @Nullable Object>(String type, String message) implements Outcome<A> {}

    /**
     * There is no answer although the member is in the view.
     *
     * @param detail for people
     */
    record Refused<A extends @Nullable Object>(Refusal refusal, String detail) implements Outcome<A> {}

    /** The member has left the view, or was on another side of a partition meanwhile, before it answered. */
    record Suspected<A extends @Nullable Object>() implements Outcome<A> {}

    /** The member was not in the view when it was called, or {@linkplain Calls#drain drained}. */
    record Unreachable<A extends @Nullable Object>() implements Outcome<A> {}

    /** The deadline has passed. */
    record TimedOut<A extends @Nullable Object>() implements Outcome<A> {}

    /** The call was over before the member had answered, or before it was asked. */
    record Unanswered<A extends @Nullable Object>() implements Outcome<A> {}
}
