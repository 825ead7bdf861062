package dev.tutti.blocks.coordination;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Opens the decoders of coordination to the fuzzer: commands, which are executed, and states. */
public final class CoordinationBytes {

    private static final Member OTHER = Values.MEMBERS.get(1);
    private static final View PRIMARY = new View(
            new ViewId(3, 1, Values.first()),
            Values.MEMBERS,
            List.of(),
            new View.Primary(3, new ViewId(2, 1, Values.first()), List.of(1L, 2L, 3L), List.of()));

    private CoordinationBytes() {}

    /** Executes a command of a member that waits for a lock, on objects of each kind. */
    public static String command(byte[] input) {
        Command command;
        try {
            ByteInput in = new ByteInput(input);
            command = Command.CODEC.take(in);
            in.end();
        } catch (MalformedException e) {
            return "refused";
        }
        Objects objects = objects();
        byte[] before = state(objects);
        try {
            objects.apply(OTHER, command);
        } catch (IllegalArgumentException | IllegalStateException e) {
            // Its submitter gets this exception, and nothing may have changed.
            if (!Arrays.equals(before, state(objects))) {
                throw new IllegalStateException("half of " + command + " was done", e);
            }
            return "failed";
        }
        objects.onView(PRIMARY);
        objects.onStable();
        reread(objects);
        return command.getClass().getSimpleName();
    }

    public static String state(byte[] input) {
        Objects objects = new Objects(claim -> {});
        try {
            objects.install(new ByteArrayInputStream(input));
        } catch (IOException e) {
            return "refused";
        }
        objects.onView(PRIMARY);
        objects.onStable();
        reread(objects);
        return "taken";
    }

    /** Checks that a state which was reached can be written and read. */
    private static void reread(Objects objects) {
        byte[] state = state(objects);
        try {
            new Objects(claim -> {}).install(new ByteArrayInputStream(state));
        } catch (IOException e) {
            throw new IllegalStateException("a state that nobody can take over", e);
        }
    }

    private static Objects objects() {
        Objects objects = new Objects(claim -> {});
        objects.begin(3);
        objects.onView(PRIMARY);
        objects.apply(Values.first(), new Command.Acquire("lock", 1, 1, 1, false));
        objects.apply(OTHER, new Command.Acquire("lock", 1, 1, 2, true));
        objects.apply(Values.first(), new Command.Acquire("semaphore", 5, 3, 3, false));
        objects.apply(OTHER, new Command.Acquire("semaphore", 5, 3, 4, true));
        objects.apply(OTHER, new Command.Add("counter", 5));
        objects.apply(OTHER, new Command.Take("ids", 100));
        return objects;
    }

    public static List<byte[]> commands() {
        List<Command> commands = List.of(
                new Command.Acquire("lock", 1, 1, 9, true),
                new Command.Acquire("new", 7, 2, 9, false),
                new Command.Acquire("größer", 7, 8, 9, false),
                new Command.Release("lock", 2),
                new Command.Add("counter", -3),
                new Command.Exchange("counter", 3, 5, 6),
                new Command.Take("ids", Objects.BLOCK_MAX));
        List<byte[]> bytes = new ArrayList<>();
        for (Command each : commands) {
            Values.checkRoundTrip(Command.CODEC, each);
            bytes.add(Values.bytes(Command.CODEC, each));
        }
        return bytes;
    }

    public static List<byte[]> states() {
        Objects many = objects();
        for (int number = 0; number < 300; number++) {
            many.apply(Values.MEMBERS.getLast(), new Command.Acquire("lock " + number % 100, 1, 1, 10 + number, true));
            many.apply(Values.first(), new Command.Add(Integer.toString(number, 36), 1));
        }
        return List.of(state(objects()), state(many));
    }

    private static byte[] state(Objects objects) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            objects.snapshot().write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
