package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.internal.calls.Batch;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.core.Member;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A call to one member: its value, or a {@link CallException} with the outcome. */
final class OpenToOne<A extends @Nullable Object> extends OpenCall<A> {

    private final Member member;
    private final Procedure<?, A> procedure;

    /** Set before the future is completed: later events do not count. */
    private volatile boolean isSettled;

    OpenToOne(CallClient caller, int epoch, long deadlineNanos, Member member, Procedure<?, A> procedure) {
        super(caller, epoch, deadlineNanos);
        this.member = member;
        this.procedure = procedure;
    }

    @Override
    boolean onAnswer(Member from, ByteInput answer, Executor completer) {
        if (isSettled || !from.equals(member)) {
            return false;
        }
        // The decoded answer settles it, not the arrival, so that the deadline ends it if the codec does not return.
        Outcome<A> outcome = decode(procedure.answer(), answer);
        if (isSettled) {
            return false;
        }
        isSettled = true;
        settle(outcome, completer);
        return true;
    }

    @Override
    boolean onFailure(Member from, Failed failed, Executor completer) {
        if (isSettled || !from.equals(member)) {
            return false;
        }
        isSettled = true;
        settle(failed.outcome(procedure), completer);
        return true;
    }

    void settle(Outcome<A> outcome, Executor completer) {
        if (outcome instanceof Outcome.Value<A>(A value)) {
            finish(value, completer);
        } else {
            fail(CallException.of(member, outcome), completer);
        }
    }

    @Override
    boolean isSettled() {
        return isSettled || isDone();
    }

    @Override
    void onEpoch(Epoch next) {
        if (!isSettled && !next.hasStayed(member, epoch())) {
            settle(new Outcome.Suspected<>(), Batch.NONE);
        }
    }

    @Override
    void onDeadline(Executor completer) {
        isSettled = true;
        settle(new Outcome.TimedOut<>(), completer);
    }

    @Override
    public void onUnsent(@Nullable Member receiver, SendException reason) {
        if (reason.reason() == SendException.Reason.NO_MEMBER) {
            settle(new Outcome.Unreachable<>(), Batch.NONE);
        } else {
            fail(CallClient.unsent(reason));
        }
    }

    @Override
    List<Member> unanswered() {
        return List.of(member);
    }
}
