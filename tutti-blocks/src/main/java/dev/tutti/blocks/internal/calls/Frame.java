package dev.tutti.blocks.internal.calls;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;

/**
 * The layout of messages of calls.
 *
 * <pre>
 * u8 1 request, u64 call, u64 procedure, u32 remaining milliseconds, u32 longest answer, request
 * u8 2 answer, u64 call, answer
 * u8 3 failure, u64 call, u8 code, text type, text message
 * u8 4 cancel, u64 call
 * </pre>
 *
 * <p>A request of call 0 wants no answer. The code of a failure is 0 for a handler's, or that of a refusal.
 */
public final class Frame {

    private Frame() {}

    /** Receives the fields of a message; the rest of the input is the application's. */
    public interface Visitor {

        void onRequest(long call, long procedure, long remainingNanos, int answerBytesMax, ByteInput request);

        void onAnswer(long call, ByteInput answer);

        void onFailure(long call, int code, String type, String message);

        void onCancel(long call);
    }

    private static final int REQUEST = 1;
    private static final int ANSWER = 2;
    private static final int FAILURE = 3;
    private static final int CANCEL = 4;

    public static final int ANSWER_HEADER_BYTES = 1 + 8;
    public static final int HANDLER_FAILURE = 0;

    private static final int CALL_AT = 1;
    private static final int REMAINING_AT = 1 + 8 + 8;
    private static final int TYPE_CHARACTERS_MAX = 200;
    private static final int MESSAGE_CHARACTERS_MAX = 1_000;
    private static final long MILLISECOND_NANOS = 1_000_000;

    /** Writes the header of a request; the number of the call is 0 until it is known. */
    public static void putRequest(ByteOutput out, long procedure, long remainingNanos, int answerBytesMax) {
        out.putByte(REQUEST).putLong(0).putLong(procedure).putInt(millis(remainingNanos)).putInt(answerBytesMax);
    }

    public static void setCall(ByteOutput out, long call) {
        out.setLong(CALL_AT, call);
    }

    public static void setRemaining(ByteOutput out, long remainingNanos) {
        out.setInt(REMAINING_AT, millis(remainingNanos));
    }

    /** Rounds up, so that a call does not end at its member before it does at its caller. */
    private static int millis(long nanos) {
        return Math.clamp((nanos + MILLISECOND_NANOS - 1) / MILLISECOND_NANOS, 1, Integer.MAX_VALUE);
    }

    public static void putAnswer(ByteOutput out, long call) {
        out.putByte(ANSWER).putLong(call);
    }

    public static void putFailure(ByteOutput out, long call, int code, String type, String message) {
        out.putByte(FAILURE)
                .putLong(call)
                .putByte(code)
                .putText(cut(type, TYPE_CHARACTERS_MAX))
                .putText(cut(message, MESSAGE_CHARACTERS_MAX));
    }

    public static void putCancel(ByteOutput out, long call) {
        out.putByte(CANCEL).putLong(call);
    }

    /** @throws MalformedException if it is no such message; the visitor was not called then */
    public static void read(ByteInput in, Visitor visitor) {
        int kind = in.takeByte();
        long call = in.takeLong();
        if (call < 0) {
            throw new MalformedException("call " + call);
        }
        switch (kind) {
            case REQUEST -> {
                long procedure = in.takeLong();
                long remainingNanos = Integer.toUnsignedLong(in.takeInt()) * MILLISECOND_NANOS;
                int answerBytesMax = in.takeInt();
                if (answerBytesMax < 0) {
                    throw new MalformedException("answers of at most " + answerBytesMax + " bytes");
                }
                visitor.onRequest(call, procedure, remainingNanos, answerBytesMax, in);
            }
            case ANSWER -> visitor.onAnswer(call, in);
            case FAILURE -> {
                int code = in.takeByte();
                String type = in.takeText();
                String message = in.takeText();
                in.end();
                visitor.onFailure(call, code, type, message);
            }
            case CANCEL -> {
                in.end();
                visitor.onCancel(call);
            }
            default -> throw new MalformedException("a message of kind " + kind);
        }
    }

    private static String cut(String text, int charactersMax) {
        return text.length() <= charactersMax ? text : text.substring(0, charactersMax);
    }
}
