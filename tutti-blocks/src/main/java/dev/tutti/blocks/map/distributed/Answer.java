package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.map.MapException;
import dev.tutti.core.NodeId;
import org.jspecify.annotations.Nullable;

/** Answer to a {@link Request}. */
sealed interface Answer {

    /**
     * The operation was executed.
     *
     * @param isDone whether its condition was met
     * @param previous value before; null if there was none, or it is not wanted
     * @param isSettled false if another member became home meanwhile, which may not have executed the operation yet: the caller
     *     has to wait for it
     */
    record Done(boolean isDone, byte @Nullable [] previous, boolean isSettled) implements Answer {}

    /** The member has a copy, and another one is the home. Nothing was executed. */
    record Elsewhere(NodeId home) implements Answer {}

    /** The member has no copy. Nothing was executed. */
    record Absent() implements Answer {}

    /** The member is the home, or is to be, and can't serve at present. Nothing was executed. */
    record Later() implements Answer {}

    /** The operation has failed at the home, and may have been executed. */
    record Failed(MapException.Reason reason, String message) implements Answer {}

    Codec<Answer> CODEC = Codec.of(Answer::take, Answer::put);

    private static void put(Answer answer, ByteOutput out) {
        switch (answer) {
            case Done(boolean isDone, byte @Nullable [] previous, boolean isSettled) -> {
                out.putByte(0).putBoolean(isDone).putBoolean(isSettled).putBoolean(previous != null);
                if (previous != null) {
                    out.putBytes(previous);
                }
            }
            case Elsewhere(NodeId home) -> Report.NODE.put(home, out.putByte(1));
            case Absent() -> out.putByte(2);
            case Later() -> out.putByte(3);
            case Failed(MapException.Reason reason, String message) -> out.putByte(4).putText(reason.name()).putText(message);
        }
    }

    private static Answer take(ByteInput in) {
        byte kind = in.takeByte();
        return switch (kind) {
            case 0 -> {
                boolean isDone = in.takeBoolean();
                boolean isSettled = in.takeBoolean();
                yield new Done(isDone, in.takeBoolean() ? in.takeBytes() : null, isSettled);
            }
            case 1 -> new Elsewhere(Report.NODE.take(in));
            case 2 -> new Absent();
            case 3 -> new Later();
            case 4 -> new Failed(reason(in.takeText()), in.takeText());
            default -> throw new MalformedException("an answer of kind " + kind);
        };
    }

    private static MapException.Reason reason(String name) {
        for (MapException.Reason reason : MapException.Reason.values()) {
            if (reason.name().equals(name)) {
                return reason;
            }
        }
        // A later version's reason.
        return MapException.Reason.UNKNOWN;
    }
}
