package dev.tutti.blocks.calls;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.blocks.internal.calls.Line;
import dev.tutti.blocks.internal.calls.OpenCalls;
import dev.tutti.core.Member;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A call that is not over, and the future of its result. Cancelling it tells the members that have not answered.
 *
 * <p>Answers and views come one at a time; the deadline, cancellation and messages that can't be sent come from any
 * thread.
 */
abstract class OpenCall<R extends @Nullable Object> extends CompletableFuture<R>
        implements Line.Unsent, OpenCalls.Numbered {

    private final CallClient caller;
    private final int epoch;
    private final long deadlineNanos;
    private long number;

    /** True for a request to drain, for whose end no member that drains waits. */
    private volatile boolean isOfDrain;

    /** Completes the future with the known result; null if it is not known, or set by the thread that knows it. */
    private volatile @Nullable Runnable completion;

    /** @param epoch in which the call was begun */
    OpenCall(CallClient caller, int epoch, long deadlineNanos) {
        this.caller = caller;
        this.epoch = epoch;
        this.deadlineNanos = deadlineNanos;
    }

    final CallClient caller() {
        return caller;
    }

    final int epoch() {
        return epoch;
    }

    final long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public final long number() {
        return number;
    }

    @Override
    public final void number(long given) {
        number = given;
    }

    final void markOfDrain() {
        isOfDrain = true;
    }

    /** Returns whether a member that drains has to stay for it. */
    final boolean isAwaiting(Member member) {
        return !isOfDrain && !isSettled() && unanswered().contains(member);
    }

    // ------------------------------------------------------------------ inputs

    /**
     * @param completer completes the future, if that ends the call
     * @return false if {@code from} was asked nothing, or has answered
     */
    abstract boolean onAnswer(Member from, ByteInput answer, Executor completer);

    /**
     * @param completer completes the future, if that ends the call
     * @return false if {@code from} was asked nothing, or has answered
     */
    abstract boolean onFailure(Member from, Failed failed, Executor completer);

    abstract void onEpoch(Epoch next);

    /** The request, which was sent to all, was delivered here. */
    void onDelivered(Epoch delivered) {
        // Only a call to all learns its members by that.
    }

    /** @param completer completes the future, if the call is not over yet */
    abstract void onDeadline(Executor completer);

    /** Returns whether the result is known, even if the future does not have it yet. */
    abstract boolean isSettled();

    /** The group was left or lost. */
    final void onClosed(CallException reason) {
        caller.release(this);
        completeExceptionally(reason);
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        boolean wasDone = isDone();
        List<Member> unanswered = unanswered();
        caller.release(this);
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isCancelled && !wasDone) {
            caller.cancelAt(unanswered, number);
        }
        return isCancelled;
    }

    /** Returns the members that were asked and have not answered. */
    abstract List<Member> unanswered();

    // ------------------------------------------------------------------ the result

    final void finish(R result, Executor completer) {
        complete(completer, () -> {
            // First: who is told of the result may begin the next call, which must not be one too many.
            caller.release(this);
            complete(result);
        });
    }

    final void fail(CallException reason, Executor completer) {
        complete(completer, () -> fail(reason));
    }

    private void complete(Executor completer, Runnable known) {
        completion = known;
        completer.execute(known);
    }

    /** Completes the future if its result is known but the completing thread waits for code of the application. */
    final void completeIfKnown(Executor completer) {
        Runnable known = completion;
        if (known != null) {
            completer.execute(known);
        }
    }

    final void fail(CallException reason) {
        caller.release(this);
        completeExceptionally(reason);
    }

    final <A extends @Nullable Object> Outcome<A> decode(Codec<A> codec, ByteInput answer) {
        return decode(codec, answer, caller.callbacks());
    }

    static <A extends @Nullable Object> Outcome<A> decode(Codec<A> codec, ByteInput answer, Callbacks callbacks) {
        Callbacks.Asked<A> asked = callbacks.ask(() -> {
            A value = codec.take(answer);
            answer.end();
            return value;
        });
        Throwable thrown = asked.thrown();
        if (thrown == null) {
            return new Outcome.Value<>(asked.value());
        }
        if (thrown instanceof Error) {
            callbacks.report("codec", new IllegalStateException("an answer can't be decoded", thrown));
        }
        return new Outcome.Refused<>(
                Refusal.MALFORMED_ANSWER,
                thrown instanceof MalformedException ? String.valueOf(thrown.getMessage()) : thrown.toString());
    }

    /** A failure, as received. */
    record Failed(int code, String type, String message) {

        /** @param called procedure that was called, which the other side knows by its number only */
        <A extends @Nullable Object> Outcome<A> outcome(Procedure<?, A> called) {
            for (Refusal refusal : REFUSALS) {
                if (refusal.code() == code) {
                    return new Outcome.Refused<>(refusal, refusal == Refusal.NO_PROCEDURE ? called.name() + ": " + message : message);
                }
            }
            return new Outcome.Failure<>(type, message);
        }

        private static final Refusal[] REFUSALS = Refusal.values();
    }
}
