package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call to one member: its value, or a {@link CallException} with the outcome. */
final class OpenToOne<A extends @Nullable Object> extends OpenCall<A> {

    private final Member member;
    private final Codec<A> codec;

    OpenToOne(Caller caller, int epoch, long deadlineNanos, Member member, Codec<A> codec) {
        super(caller, epoch, deadlineNanos);
        this.member = member;
        this.codec = codec;
    }

    @Override
    boolean onAnswer(Member from, ByteInput answer) {
        if (!from.equals(member)) {
            return false;
        }
        settle(decode(codec, answer));
        return true;
    }

    @Override
    boolean onFailure(Member from, Failed failed) {
        if (!from.equals(member)) {
            return false;
        }
        settle(failed.outcome());
        return true;
    }

    void settle(Outcome<A> outcome) {
        if (outcome instanceof Outcome.Value<A>(A value)) {
            finish(value);
        } else {
            fail(CallException.of(member, outcome));
        }
    }

    @Override
    void onEpoch(Epoch next) {
        if (!next.hasStayed(member, epoch())) {
            settle(new Outcome.Suspected<>());
        }
    }

    @Override
    void onDeadline() {
        settle(new Outcome.TimedOut<>());
    }

    @Override
    public void onUnsent(@Nullable Member receiver, SendException reason) {
        if (reason.reason() == SendException.Reason.NO_MEMBER) {
            settle(new Outcome.Unreachable<>());
        } else {
            fail(Caller.unsent(reason));
        }
    }

    @Override
    List<Member> unanswered() {
        return List.of(member);
    }
}
