package dev.tutti.blocks.queue;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Commands on a queue. */
sealed interface QueueCommand<T> {

    /** @param number of the offer, at this member */
    record Offer<T>(long number, T value, int bytes) implements QueueCommand<T> {}

    /** A worker waits for a task. Idempotent. */
    record Take<T>(long number) implements QueueCommand<T> {}

    /** A worker does not wait any more. */
    record Cancel<T>(long number) implements QueueCommand<T> {}

    /** A task that was handed over. */
    record Handed(TaskId id, int delivery) {}

    record Acknowledge<T>(Handed task) implements QueueCommand<T> {}

    /** Gives a task to another worker. */
    record Release<T>(Handed task) implements QueueCommand<T> {}

    /** Gives its worker more time. */
    record Extend<T>(Handed task) implements QueueCommand<T> {}

    /** Takes tasks from workers that have taken too long. */
    record Overdue<T>(List<Handed> tasks) implements QueueCommand<T> {}

    /**
     * Tasks that a side which was given up brings in again, in the view with this number.
     *
     * @param items still to be done
     * @param done that are done
     */
    record Again<T>(String side, long view, boolean isLast, List<Item<T>> items, List<TaskId> done)
            implements QueueCommand<T> {}

    int COUNT_MAX = 1_024;

    static <T> Codec<QueueCommand<T>> codec(Codec<T> values) {
        return Codec.of(in -> take(values, in), (command, out) -> put(values, command, out));
    }

    private static <T> void put(Codec<T> values, QueueCommand<T> command, ByteOutput out) {
        switch (command) {
            case Offer<T> offer -> values.put(offer.value(), out.putByte(1).putLong(offer.number()));
            case Take<T>(long number) -> out.putByte(2).putLong(number);
            case Cancel<T>(long number) -> out.putByte(3).putLong(number);
            case Acknowledge<T>(Handed task) -> putHanded(task, out.putByte(4));
            case Release<T>(Handed task) -> putHanded(task, out.putByte(5));
            case Extend<T>(Handed task) -> putHanded(task, out.putByte(6));
            case Overdue<T>(List<Handed> tasks) -> {
                out.putByte(7).putInt(tasks.size());
                tasks.forEach(each -> putHanded(each, out));
            }
            case Again<T> again -> {
                out.putByte(8).putText(again.side()).putLong(again.view()).putBoolean(again.isLast());
                out.putInt(again.items().size());
                again.items().forEach(each -> Item.put(each, values, out));
                out.putInt(again.done().size());
                again.done().forEach(each -> TaskId.CODEC.put(each, out));
            }
        }
    }

    private static void putHanded(Handed task, ByteOutput out) {
        TaskId.CODEC.put(task.id(), out);
        out.putInt(task.delivery());
    }

    private static Handed takeHanded(ByteInput in) {
        return new Handed(TaskId.CODEC.take(in), in.takeInt());
    }

    private static <T> QueueCommand<T> take(Codec<T> values, ByteInput in) {
        byte kind = in.takeByte();
        return switch (kind) {
            case 1 -> {
                long number = in.takeLong();
                int before = in.remaining();
                T value = values.take(in);
                yield new Offer<>(number, value, before - in.remaining());
            }
            case 2 -> new Take<>(in.takeLong());
            case 3 -> new Cancel<>(in.takeLong());
            case 4 -> new Acknowledge<>(takeHanded(in));
            case 5 -> new Release<>(takeHanded(in));
            case 6 -> new Extend<>(takeHanded(in));
            case 7 -> new Overdue<>(takeAll(in, QueueCommand::takeHanded));
            case 8 ->
                new Again<>(
                        in.takeText(),
                        in.takeLong(),
                        in.takeBoolean(),
                        takeAll(in, each -> Item.take(values, each, 0)),
                        takeAll(in, TaskId.CODEC::take));
            default -> throw new MalformedException("a command of kind " + kind);
        };
    }

    private static <E> List<E> takeAll(ByteInput in, Function<ByteInput, E> take) {
        int count = in.takeCount(1);
        if (count > COUNT_MAX) {
            throw new MalformedException(count + " tasks in a command, at most " + COUNT_MAX);
        }
        List<E> all = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            all.add(take.apply(in));
        }
        return all;
    }
}
