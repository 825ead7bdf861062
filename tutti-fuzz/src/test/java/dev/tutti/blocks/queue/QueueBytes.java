package dev.tutti.blocks.queue;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.queue.QueueCommand.Handed;
import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Opens the decoders of queues to the fuzzer: commands, which are executed, and states. */
public final class QueueBytes {

    private static final Codec<QueueCommand<byte[]>> COMMANDS = QueueCommand.codec(Codec.BYTES);
    private static final Member WORKER = Values.MEMBERS.get(1);
    private static final TaskId WAITING = new TaskId(Values.first(), 2);
    private static final TaskId HELD = new TaskId(Values.first(), 1);

    private QueueBytes() {}

    /** Executes a command of a worker that has a task, on a queue that has another one. */
    public static String command(byte[] input) {
        QueueCommand<byte[]> command;
        try {
            ByteInput in = new ByteInput(input);
            command = COMMANDS.take(in);
            in.end();
        } catch (MalformedException e) {
            return "refused";
        }
        apply(tasks(), command);
        return command.getClass().getSimpleName();
    }

    private static void apply(Tasks<byte[]> tasks, QueueCommand<byte[]> command) {
        switch (command) {
            case QueueCommand.Offer<byte[]> offer ->
                tasks.offer(new TaskId(WORKER, offer.number()), offer.value(), offer.bytes());
            case QueueCommand.Take<byte[]>(long number) -> tasks.take(new Tasks.Waiter(WORKER, number));
            case QueueCommand.Cancel<byte[]>(long number) -> tasks.cancel(new Tasks.Waiter(WORKER, number));
            case QueueCommand.Acknowledge<byte[]>(Handed task) -> tasks.acknowledge(WORKER, task);
            case QueueCommand.Release<byte[]>(Handed task) -> tasks.release(WORKER, task);
            case QueueCommand.Extend<byte[]>(Handed task) -> tasks.extend(WORKER, task, 9);
            case QueueCommand.Overdue<byte[]>(List<Handed> overdue) -> overdue.forEach(tasks::overdue);
            case QueueCommand.Again<byte[]> again -> {
                again.done().forEach(tasks::finish);
                again.items().forEach(tasks::bringIn);
            }
        }
        tasks.handOver(9);
        QueueImage.of(origin(), tasks).tasks();
        if (tasks.all().size() != tasks.size() || tasks.bytes() < 0) {
            throw new IllegalStateException(tasks.all().size() + " of " + tasks.size() + " tasks, " + tasks.bytes() + " bytes");
        }
    }

    public static String state(byte[] input) {
        try {
            Tasks<byte[]> tasks = QueueImage.read(Codec.BYTES, new ByteArrayInputStream(input), 7).tasks();
            tasks.handOver(9);
            tasks.held().forEach(each -> tasks.finish(each.id()));
            return "taken";
        } catch (MalformedException | IOException e) {
            return "refused";
        }
    }

    private static Blocks.Origin origin() {
        return new Blocks.Origin(new ViewId(3, 1, Values.first()), Values.MEMBERS);
    }

    private static Tasks<byte[]> tasks() {
        Tasks<byte[]> tasks = new Tasks<>();
        tasks.offer(HELD, new byte[10], 14);
        tasks.take(new Tasks.Waiter(WORKER, 5));
        tasks.handOver(3);
        tasks.offer(WAITING, new byte[11], 15);
        return tasks;
    }

    public static List<byte[]> commands() {
        Item<byte[]> item = new Item<>(new TaskId(WORKER, 7), new byte[5], 0, 4, 1, null, 0, 0);
        TaskId shortest = new TaskId(Values.MEMBERS.getLast(), 0);
        Item<byte[]> smallest = new Item<>(shortest, new byte[0], 0, 1, 0, null, 0, 0);
        List<QueueCommand<byte[]>> commands = List.of(
                new QueueCommand.Offer<>(7, new byte[100], 0),
                new QueueCommand.Take<>(9),
                new QueueCommand.Cancel<>(9),
                new QueueCommand.Acknowledge<>(new Handed(HELD, 1)),
                new QueueCommand.Release<>(new Handed(HELD, 1)),
                new QueueCommand.Extend<>(new Handed(HELD, 1)),
                new QueueCommand.Overdue<>(List.of(new Handed(HELD, 1), new Handed(WAITING, 0))),
                new QueueCommand.Overdue<>(Collections.nCopies(QueueCommand.COUNT_MAX, new Handed(shortest, 0))),
                new QueueCommand.Again<>("side", 4, true, List.of(item, item.heldBy(WORKER, 5, 0)), List.of(HELD)),
                new QueueCommand.Again<>(
                        "",
                        4,
                        true,
                        Collections.nCopies(QueueCommand.COUNT_MAX, smallest),
                        Collections.nCopies(QueueCommand.COUNT_MAX, shortest)));
        List<byte[]> bytes = new ArrayList<>();
        commands.forEach(each -> bytes.add(Values.bytes(COMMANDS, each)));
        return bytes;
    }

    public static List<byte[]> states() {
        Tasks<byte[]> many = tasks();
        for (int number = 0; number < 300; number++) {
            many.offer(new TaskId(Values.MEMBERS.getLast(), number), new byte[0], 4);
            many.restore(new Tasks.Waiter(Values.MEMBERS.getLast(), number));
            many.restoreDone(new TaskId(WORKER, number));
        }
        return List.of(state(tasks()), state(many));
    }

    private static byte[] state(Tasks<byte[]> tasks) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            QueueImage.of(origin(), tasks).write(Codec.BYTES, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
