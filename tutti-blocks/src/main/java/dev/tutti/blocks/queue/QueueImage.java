package dev.tutti.blocks.queue;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.MemberCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue at a cut.
 *
 * @param origin side that it comes from
 * @param lastPosition that a task has had
 * @param waiters the longest waiting first
 * @param done the first done first
 * @param items in their order
 */
record QueueImage<T>(
        Blocks.Origin origin, long lastPosition, List<Tasks.Waiter> waiters, List<TaskId> done, List<Item<T>> items) {

    private static final byte FORMAT = 1;

    static <T> QueueImage<T> of(Blocks.Origin origin, Tasks<T> tasks) {
        return new QueueImage<>(origin, tasks.lastPosition(), tasks.waiters(), tasks.done(), tasks.all());
    }

    void write(Codec<T> values, OutputStream stream) throws IOException {
        DataOutputStream out = new DataOutputStream(stream);
        ByteOutput block = new ByteOutput();
        origin.put(FORMAT, block);
        block.putLong(lastPosition).putInt(waiters.size());
        for (Tasks.Waiter each : waiters) {
            MemberCodec.MEMBER.put(each.worker(), block);
            block.putLong(each.number());
        }
        block.putInt(done.size());
        done.forEach(each -> TaskId.CODEC.put(each, block));
        Blocks.write(block, out);
        for (Item<T> each : items) {
            Item.put(each, values, block);
            if (block.length() >= Blocks.ENOUGH) {
                Blocks.write(block, out);
            }
        }
        Blocks.end(block, out);
    }

    /**
     * @param nowNanos this member's clock, which counts as the time at which workers got their tasks
     * @throws MalformedException if the stream is no such image
     */
    static <T> QueueImage<T> read(Codec<T> values, InputStream stream, long nowNanos) throws IOException {
        DataInputStream source = new DataInputStream(stream);
        ByteInput in = Blocks.read(source);
        Blocks.Origin origin = Blocks.Origin.take(FORMAT, in);
        long lastPosition = in.takeLong();
        List<Tasks.Waiter> waiters = new ArrayList<>();
        int waiterCount = in.takeCount(MemberCodec.BYTES_MIN + Long.BYTES);
        for (int index = 0; index < waiterCount; index++) {
            waiters.add(new Tasks.Waiter(MemberCodec.MEMBER.take(in), in.takeLong()));
        }
        List<TaskId> done = new ArrayList<>();
        int doneCount = in.takeCount(MemberCodec.BYTES_MIN + Long.BYTES);
        for (int index = 0; index < doneCount; index++) {
            done.add(TaskId.CODEC.take(in));
        }
        in.end();
        List<Item<T>> items = new ArrayList<>();
        for (in = Blocks.read(source); in.remaining() > 0; in = Blocks.read(source)) {
            while (in.remaining() > 0) {
                items.add(Item.take(values, in, nowNanos));
            }
        }
        return new QueueImage<>(origin, lastPosition, waiters, done, items);
    }

    /** @throws MalformedException if a task, or a position, is in it twice */
    Tasks<T> tasks() {
        Tasks<T> tasks = new Tasks<>();
        tasks.restoreLastPosition(lastPosition);
        waiters.forEach(tasks::restore);
        done.forEach(tasks::restoreDone);
        items.forEach(tasks::restore);
        return tasks;
    }
}
