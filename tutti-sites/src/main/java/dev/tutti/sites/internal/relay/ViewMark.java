package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.core.ViewId;
import dev.tutti.sites.internal.log.OriginMember;

/** Id of a view of the local group, in a frame. */
public record ViewMark(long number, int attempt, OriginMember proposer) {

    public static ViewMark of(ViewId id) {
        return new ViewMark(id.number(), id.attempt(), OriginMember.of(id.proposer()));
    }

    void put(ByteOutput out) {
        proposer.put(out.putLong(number).putInt(attempt));
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if there is none */
    static ViewMark take(ByteInput in) {
        return new ViewMark(in.takeLong(), in.takeInt(), OriginMember.take(in));
    }
}
