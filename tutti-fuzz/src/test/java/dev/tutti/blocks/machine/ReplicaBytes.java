package dev.tutti.blocks.machine;

import dev.tutti.Message;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Opens the decoders of replicated machines to the fuzzer: messages of their group, and states. */
public final class ReplicaBytes {

    private static final View VIEW = new View(new ViewId(3, 1, Values.first()), Values.MEMBERS, List.of(), null);

    private ReplicaBytes() {}

    /** A machine that takes lists of numbers, and whose result is their sum. */
    private static final class Sum implements StateMachine<List<Long>, Long> {
        private long sum;

        @Override
        public Long apply(Member member, List<Long> command) {
            if (command.isEmpty()) {
                throw new IllegalArgumentException("nothing to add");
            }
            command.forEach(each -> sum += each);
            return sum;
        }

        @Override
        public Snapshot snapshot() {
            byte[] state = new ByteOutput().putLong(sum).copy();
            return out -> out.write(state);
        }

        @Override
        public void install(InputStream in) throws IOException {
            sum = new DataInputStream(in).readLong();
        }
    }

    private record Heard(Member sender, byte[] bytes) implements Message {

        @Override
        public View view() {
            return VIEW;
        }

        @Override
        public boolean isUnicast() {
            return false;
        }

        @Override
        public int length() {
            return bytes.length;
        }

        @Override
        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
        }

        @Override
        public InputStream stream() {
            return new ByteArrayInputStream(bytes);
        }
    }

    private static Core<List<Long>, Long> core() {
        Core<List<Long>, Long> core = new Core<>(
                "fuzz",
                Values.first().node(),
                new Callbacks(new Threads() {}),
                new Sum(),
                Codec.list(Codec.LONG),
                new Outbox(new Threads() {}, "fuzz", 16),
                false);
        core.onView(VIEW);
        return core;
    }

    /** Handles a message of another member. */
    public static String message(byte[] input) {
        Core<List<Long>, Long> core = core();
        core.onMessage(new Heard(Values.MEMBERS.get(1), input));
        Map<String, Long> status = core.status();
        for (String outcome : List.of("malformed", "failures", "commands")) {
            if (status.getOrDefault(outcome, 0L) > 0) {
                return outcome;
            }
        }
        return "read";
    }

    public static String state(byte[] input) {
        Core<List<Long>, Long> core = core();
        try {
            core.state().install(new ByteArrayInputStream(input));
        } catch (IOException e) {
            return "refused";
        }
        core.onView(VIEW);
        core.onMessage(new Heard(Values.MEMBERS.get(1), messages().getFirst()));
        return core.status().getOrDefault("repeated", 0L) > 0 ? "with it" : "without it";
    }

    public static List<byte[]> messages() {
        List<byte[]> messages = new ArrayList<>();
        for (List<Long> numbers : List.of(List.of(1L, 2L), List.<Long>of())) {
            ByteOutput command = new ByteOutput().putByte(Core.COMMAND).putLong(1);
            Codec.list(Codec.LONG).put(numbers, command);
            messages.add(command.copy());
        }
        messages.add(new ByteOutput().putByte(Core.READ).putLong(2).copy());
        return messages;
    }

    public static List<byte[]> states() {
        Core<List<Long>, Long> some = core();
        List<byte[]> states = new ArrayList<>(List.of(state(some)));
        some.onMessage(new Heard(Values.MEMBERS.get(1), messages().getFirst()));
        some.onMessage(new Heard(Values.first(), messages().getLast()));
        states.add(state(some));
        return states;
    }

    private static byte[] state(Core<List<Long>, Long> core) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            core.state().snapshot().write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
