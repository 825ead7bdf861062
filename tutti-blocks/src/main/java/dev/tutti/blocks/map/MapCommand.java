package dev.tutti.blocks.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.clock.HybridClock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Commands on a map in total order. */
sealed interface MapCommand<K, V> {

    /** Condition for a write, on the present entry. */
    sealed interface Condition<V> {

        record Always<V>() implements Condition<V> {}

        record Absent<V>() implements Condition<V> {}

        record Present<V>() implements Condition<V> {}

        record Equal<V>(V expected) implements Condition<V> {}

        /** The entry was not written since. */
        record Unchanged<V>(EntryVersion version) implements Condition<V> {}
    }

    /**
     * Writes of different keys, all or none; a condition applies to the first.
     *
     * @param stamp time of their submission
     */
    record Write<K, V>(Condition<V> condition, HybridClock.Stamp stamp, List<Register<K, V>> registers) implements MapCommand<K, V> {}

    /** Entries that have expired, if they are still unchanged. */
    record Expire<K, V>(List<Register<K, V>> registers) implements MapCommand<K, V> {}

    /** Entries that a side which was given up brings in again, in the view with this number. */
    record Again<K, V>(String side, long view, boolean isLast, List<Register<K, V>> registers)
            implements MapCommand<K, V> {}

    /**
     * Result of a write.
     *
     * @param isDone whether it was written
     * @param isRefused whether it was refused because the map is full
     * @param previous value of the first key
     */
    record Outcome<V>(boolean isDone, boolean isRefused, @Nullable V previous) {}

    static <K, V> Codec<MapCommand<K, V>> codec(RegisterCodec<K, V> registers) {
        return Codec.of(in -> take(registers, in), (command, out) -> put(registers, command, out));
    }

    private static <K, V> void put(RegisterCodec<K, V> codec, MapCommand<K, V> command, ByteOutput out) {
        switch (command) {
            case Write<K, V>(Condition<V> condition, HybridClock.Stamp stamp, List<Register<K, V>> registers) -> {
                out.putByte(WRITE);
                putCondition(codec, condition, out);
                out.putLong(stamp.written()).putLong(stamp.wallMillis()).putInt(registers.size());
                registers.forEach(each -> codec.putWrite(each, out));
            }
            case Expire<K, V>(List<Register<K, V>> registers) -> {
                out.putByte(EXPIRE).putInt(registers.size());
                for (Register<K, V> each : registers) {
                    codec.keys().put(each.key(), out);
                    EntryVersion.CODEC.put(each.version(), out);
                }
            }
            case Again<K, V>(String side, long view, boolean isLast, List<Register<K, V>> registers) -> {
                out.putByte(AGAIN).putText(side).putLong(view).putBoolean(isLast).putInt(registers.size());
                registers.forEach(each -> codec.put(each, out));
            }
        }
    }

    private static <K, V> MapCommand<K, V> take(RegisterCodec<K, V> codec, ByteInput in) {
        byte kind = in.takeByte();
        return switch (kind) {
            case WRITE -> {
                Condition<V> condition = takeCondition(codec, in);
                HybridClock.Stamp stamp = new HybridClock.Stamp(in.takeLong(), in.takeLong());
                yield new Write<>(condition, stamp, takeAll(in, each -> codec.takeWrite(each, EntryVersion.NONE)));
            }
            case EXPIRE ->
                new Expire<>(takeAll(
                        in,
                        each -> new Register<>(codec.keys().take(each), null, 0, EntryVersion.CODEC.take(each), 0, 0)));
            case AGAIN ->
                new Again<>(in.takeText(), in.takeLong(), in.takeBoolean(), takeAll(in, codec::take));
            default -> throw new MalformedException("a command of kind " + kind);
        };
    }

    private static <T> List<T> takeAll(ByteInput in, Function<ByteInput, T> take) {
        int count = in.takeCount(1);
        if (count > Housekeeping.COUNT_MAX) {
            throw new MalformedException(count + " entries in a command, at most " + Housekeeping.COUNT_MAX);
        }
        List<T> all = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            all.add(take.apply(in));
        }
        return all;
    }

    private static <K, V> void putCondition(RegisterCodec<K, V> codec, Condition<V> condition, ByteOutput out) {
        switch (condition) {
            case Condition.Always<V>() -> out.putByte(0);
            case Condition.Absent<V>() -> out.putByte(1);
            case Condition.Present<V>() -> out.putByte(2);
            case Condition.Equal<V>(V expected) -> codec.values().put(expected, out.putByte(3));
            case Condition.Unchanged<V>(EntryVersion version) -> EntryVersion.CODEC.put(version, out.putByte(4));
        }
    }

    private static <K, V> Condition<V> takeCondition(RegisterCodec<K, V> codec, ByteInput in) {
        byte kind = in.takeByte();
        return switch (kind) {
            case 0 -> new Condition.Always<>();
            case 1 -> new Condition.Absent<>();
            case 2 -> new Condition.Present<>();
            case 3 -> new Condition.Equal<>(codec.values().take(in));
            case 4 -> new Condition.Unchanged<>(EntryVersion.CODEC.take(in));
            default -> throw new MalformedException("a condition of kind " + kind);
        };
    }

    byte WRITE = 1;
    byte EXPIRE = 2;
    byte AGAIN = 3;
}
