package dev.tutti.sites.calls;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;

/** Messages of calls between sites. */
sealed interface CallFrame {

    /** Result of a call at the member that was called; the order is that of the wire. */
    enum Result {
        VALUE,
        FAILED,
        REFUSED,
        NO_MEMBER
    }

    /**
     * A call.
     *
     * @param number of the call at its caller
     * @param member name of the node to call; empty for any
     * @param deadlineMillis wall clock of the caller after which nobody waits for the answer any more
     */
    @SuppressWarnings("ArrayRecordComponent") // frames are compared with nothing
    record Request(long number, String member, long deadlineMillis, byte[] content) implements CallFrame {}

    /**
     * An answer.
     *
     * @param caller incarnation of the node that has called
     * @param detail for people, if there is no value
     */
    @SuppressWarnings("ArrayRecordComponent") // frames are compared with nothing
    record Answer(long caller, long number, Result result, String detail, byte[] content) implements CallFrame {}

    default byte[] encode() {
        ByteOutput out = new ByteOutput();
        switch (this) {
            case Request request -> out.putByte(REQUEST)
                    .putLong(request.number)
                    .putText(request.member)
                    .putLong(request.deadlineMillis)
                    .putBytes(request.content);
            case Answer answer -> out.putByte(ANSWER)
                    .putLong(answer.caller)
                    .putLong(answer.number)
                    .putByte(answer.result.ordinal())
                    .putText(answer.detail)
                    .putBytes(answer.content);
        }
        return out.copy();
    }

    /** @throws MalformedException if the bytes are no frame */
    static CallFrame decode(byte[] bytes) {
        ByteInput in = new ByteInput(bytes);
        byte kind = in.takeByte();
        CallFrame frame =
                switch (kind) {
                    case REQUEST -> new Request(in.takeLong(), in.takeText(), in.takeLong(), in.takeBytes());
                    case ANSWER -> new Answer(in.takeLong(), in.takeLong(), takeResult(in), in.takeText(), in.takeBytes());
                    default -> throw new MalformedException("a message of a call has kind " + kind);
                };
        in.end();
        return frame;
    }

    private static Result takeResult(ByteInput in) {
        byte result = in.takeByte();
        if (result < 0 || result >= Result.values().length) {
            throw new MalformedException("the result of a call is " + result);
        }
        return Result.values()[result];
    }

    /** Kinds on the wire. */
    byte REQUEST = 1;

    byte ANSWER = 2;
}
