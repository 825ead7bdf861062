package dev.tutti.blocks.queue;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import org.jspecify.annotations.Nullable;

/**
 * A task in the queue.
 *
 * @param bytes encoded size of the value
 * @param position in the order of tasks, which a task keeps when it comes back
 * @param deliveries number of times that it was handed to a worker
 * @param holder the worker's member; null if the task waits
 * @param take number of the holder's call that it was given to
 * @param sinceNanos when this member saw it handed over, by its own clock
 */
record Item<T>(
        TaskId id,
        T value,
        int bytes,
        long position,
        int deliveries,
        @Nullable Member holder,
        long take,
        long sinceNanos) {

    Item<T> heldBy(Member worker, long number, long nowNanos) {
        return new Item<>(id, value, bytes, position, deliveries + 1, worker, number, nowNanos);
    }

    Item<T> waiting() {
        return new Item<>(id, value, bytes, position, deliveries, null, 0, 0);
    }

    Item<T> since(long nowNanos) {
        return new Item<>(id, value, bytes, position, deliveries, holder, take, nowNanos);
    }

    Item<T> at(long otherPosition) {
        return new Item<>(id, value, bytes, otherPosition, deliveries, null, 0, 0);
    }

    static <T> void put(Item<T> item, Codec<T> values, ByteOutput out) {
        TaskId.CODEC.put(item.id, out);
        values.put(item.value, out);
        out.putLong(item.position).putInt(item.deliveries).putBoolean(item.holder != null);
        if (item.holder != null) {
            MemberCodec.MEMBER.put(item.holder, out);
            out.putLong(item.take);
        }
    }

    static <T> Item<T> take(Codec<T> values, ByteInput in, long nowNanos) {
        TaskId id = TaskId.CODEC.take(in);
        int before = in.remaining();
        T value = values.take(in);
        int bytes = before - in.remaining();
        long position = in.takeLong();
        int deliveries = in.takeInt();
        boolean isHeld = in.takeBoolean();
        Member holder = isHeld ? MemberCodec.MEMBER.take(in) : null;
        return new Item<>(id, value, bytes, position, deliveries, holder, isHeld ? in.takeLong() : 0, nowNanos);
    }
}
