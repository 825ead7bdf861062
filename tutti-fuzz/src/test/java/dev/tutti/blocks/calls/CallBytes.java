package dev.tutti.blocks.calls;

import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.calls.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Opens the decoders of calls to the fuzzer: messages, and the values in them by each of the codecs. */
public final class CallBytes {

    private static final List<Codec<?>> CODECS = List.of(
            Codec.TEXT,
            Codec.BYTES,
            Codec.list(Codec.nullable(Codec.LONG)),
            Codec.list(Codec.list(Codec.BYTES)),
            Codec.BOOLEAN,
            Codec.DOUBLE);

    private static final Procedure<String, String> CALLED = Procedure.of("called", Codec.TEXT, Codec.TEXT);

    private static final Callbacks CALLBACKS = new Callbacks(new Threads() {});

    private CallBytes() {}

    /** Decodes a message; returns its kind. */
    public static String decode(byte[] input) {
        String[] outcome = new String[1];
        try {
            Frame.read(new ByteInput(ByteBuffer.wrap(input).asReadOnlyBuffer()), new Frame.Visitor() {
                @Override
                public void onRequest(long call, long procedure, long remainingNanos, int answerBytesMax, ByteInput in) {
                    if (remainingNanos < 0 || answerBytesMax < 0 || call < 0) {
                        throw new IllegalStateException("a request that was not to be taken");
                    }
                    outcome[0] = OpenCall.decode(codec(call), in, CALLBACKS) instanceof Outcome.Value ? "request" : "refused request";
                }

                @Override
                public void onAnswer(long call, ByteInput in) {
                    outcome[0] = OpenCall.decode(codec(call), in, CALLBACKS) instanceof Outcome.Value ? "answer" : "refused answer";
                }

                @Override
                public void onFailure(long call, int code, String type, String message) {
                    outcome[0] = new OpenCall.Failed(code, type, message).outcome(CALLED) instanceof Outcome.Refused
                            ? "refusal"
                            : "failure";
                }

                @Override
                public void onCancel(long call) {
                    outcome[0] = "cancel";
                }
            });
            return outcome[0];
        } catch (MalformedException e) {
            return "refused";
        }
    }

    private static Codec<?> codec(long call) {
        return CODECS.get((int) (call % CODECS.size()));
    }

    /** Returns messages of each kind, with each codec. */
    public static List<byte[]> valid() {
        List<byte[]> messages = new ArrayList<>();
        for (int call = 0; call < CODECS.size(); call++) {
            ByteOutput request = new ByteOutput();
            Frame.putRequest(request, 7, 1_000_000_000, 1 << 20);
            Frame.setCall(request, call);
            putValue(call, request);
            messages.add(request.copy());
            ByteOutput answer = new ByteOutput();
            Frame.putAnswer(answer, call);
            putValue(call, answer);
            messages.add(answer.copy());
        }
        ByteOutput failure = new ByteOutput();
        Frame.putFailure(failure, 3, Frame.HANDLER_FAILURE, "java.lang.IllegalStateException", "größer");
        ByteOutput refusal = new ByteOutput();
        Frame.putFailure(refusal, 4, Refusal.OVERLOADED.code(), "", "8 handlers run");
        ByteOutput cancel = new ByteOutput();
        Frame.putCancel(cancel, 5);
        messages.addAll(List.of(failure.copy(), refusal.copy(), cancel.copy()));
        return messages;
    }

    private static void putValue(int codec, ByteOutput out) {
        switch (codec) {
            case 0 -> Codec.TEXT.put("größer".repeat(500), out);
            case 1 -> Codec.BYTES.put(new byte[100], out);
            case 2 -> Codec.list(Codec.nullable(Codec.LONG)).put(Collections.nCopies(2_000, -1L), out);
            case 3 -> Codec.list(Codec.list(Codec.BYTES)).put(Collections.nCopies(900, List.of()), out);
            case 4 -> Codec.BOOLEAN.put(true, out);
            default -> Codec.DOUBLE.put(0.5, out);
        }
    }
}
