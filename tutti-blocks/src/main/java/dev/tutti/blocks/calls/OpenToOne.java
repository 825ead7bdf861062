package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A call to one member: its value, or a {@link CallException} with the outcome. */
final class OpenToOne<A extends @Nullable Object> extends OpenCall<A> {

    private final Member member;
    private final Codec<A> codec;

    /** Before the future is completed: what comes later does not count. */
    private volatile boolean isAnswered;

    OpenToOne(Caller caller, int epoch, long deadlineNanos, Member member, Codec<A> codec) {
        super(caller, epoch, deadlineNanos);
        this.member = member;
        this.codec = codec;
    }

    @Override
    boolean onAnswer(Member from, ByteInput answer, Executor completer) {
        if (isAnswered || !from.equals(member)) {
            return false;
        }
        isAnswered = true;
        settle(decode(codec, answer), completer);
        return true;
    }

    @Override
    boolean onFailure(Member from, Failed failed, Executor completer) {
        if (isAnswered || !from.equals(member)) {
            return false;
        }
        isAnswered = true;
        settle(failed.outcome(), completer);
        return true;
    }

    void settle(Outcome<A> outcome, Executor completer) {
        if (outcome instanceof Outcome.Value<A>(A value)) {
            finish(value, completer);
        } else {
            CallException failure = CallException.of(member, outcome);
            completer.execute(() -> fail(failure));
        }
    }

    @Override
    boolean isSettled() {
        return isAnswered || isDone();
    }

    @Override
    void onEpoch(Epoch next) {
        if (!isAnswered && !next.hasStayed(member, epoch())) {
            settle(new Outcome.Suspected<>(), Batch.NONE);
        }
    }

    @Override
    void onDeadline() {
        settle(new Outcome.TimedOut<>(), Batch.NONE);
    }

    @Override
    public void onUnsent(@Nullable Member receiver, SendException reason) {
        if (reason.reason() == SendException.Reason.NO_MEMBER) {
            settle(new Outcome.Unreachable<>(), Batch.NONE);
        } else {
            fail(Caller.unsent(reason));
        }
    }

    @Override
    List<Member> unanswered() {
        return List.of(member);
    }
}
