package dev.tutti.blocks.map;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Opens the decoders of maps to the fuzzer: commands in total order, messages of last-writer maps, states of both. */
public final class MapBytes {

    private static final long NOW_NANOS = 1_000_000;
    private static final RegisterCodec<String, byte[]> REGISTERS =
            new RegisterCodec<>(Codec.TEXT, Codec.BYTES, () -> NOW_NANOS);
    private static final Codec<MapCommand<String, byte[]>> COMMANDS = MapCommand.codec(REGISTERS);

    private static final HybridClock.Stamp STAMP = new HybridClock.Stamp(3L << 16, 4);

    private MapBytes() {}

    public static String command(byte[] input) {
        try {
            ByteInput in = new ByteInput(input);
            MapCommand<String, byte[]> command = COMMANDS.take(in);
            in.end();
            return command.getClass().getSimpleName();
        } catch (MalformedException e) {
            return "refused";
        }
    }

    public static String message(byte[] input) {
        try {
            ByteInput in = new ByteInput(input);
            MapMessage.Header header = MapMessage.header(in);
            return MapMessage.body(header.kind(), REGISTERS, in).getClass().getSimpleName();
        } catch (MalformedException e) {
            return "refused";
        }
    }

    /** Reads a state, and checks its due entries and its count of bytes. */
    public static String state(byte[] input) {
        try {
            Store<String, byte[]> store = Image.read(REGISTERS, new ByteArrayInputStream(input)).store();
            for (Register<String, byte[]> each : store.due(NOW_NANOS, new TreeSet<>(), Integer.MAX_VALUE)) {
                if (each.dueNanos() > NOW_NANOS || each.timeToLiveNanos() == 0) {
                    throw new IllegalStateException(each + " is not due");
                }
            }
            for (Register<String, byte[]> each : store.live()) {
                store.forget(each.key());
            }
            if (store.bytes() < 0) {
                throw new IllegalStateException("a map of " + store.bytes() + " bytes");
            }
            return "taken";
        } catch (MalformedException | IOException e) {
            return "refused";
        }
    }

    private static Register<String, byte[]> live(String key, long timeToLiveNanos, long sequence) {
        return new Register<>(key, new byte[20], 0, EntryVersion.of(3, sequence, 0, 1, 0), timeToLiveNanos, NOW_NANOS / 2);
    }

    private static List<Register<String, byte[]>> some() {
        return List.of(live("k", 0, 1), live("größer", 5, 2), new Register<>("r", null, 0, EntryVersion.NONE.dropped(), 0, 0));
    }

    /** Returns as many registers as a command may name, as short as possible. */
    private static List<Register<String, byte[]>> crowd() {
        return Collections.nCopies(Housekeeping.COUNT_MAX, new Register<>("", null, 0, EntryVersion.NONE, 0, 0));
    }

    public static List<byte[]> commands() {
        List<MapCommand<String, byte[]>> commands = List.of(
                new MapCommand.Write<>(new MapCommand.Condition.Always<>(), STAMP, some()),
                new MapCommand.Write<>(new MapCommand.Condition.Absent<>(), STAMP, crowd()),
                new MapCommand.Write<>(new MapCommand.Condition.Present<>(), STAMP, List.of()),
                new MapCommand.Write<>(new MapCommand.Condition.Equal<>(new byte[9]), STAMP, some()),
                new MapCommand.Write<>(new MapCommand.Condition.Unchanged<>(EntryVersion.of(1, 2, 0, 3, 4)), STAMP, some()),
                new MapCommand.Expire<>(some()),
                new MapCommand.Expire<>(crowd()),
                new MapCommand.Again<>("side", 5, true, some()));
        List<byte[]> bytes = new ArrayList<>();
        for (MapCommand<String, byte[]> each : commands) {
            Values.checkRoundTrip(COMMANDS, each);
            bytes.add(Values.bytes(COMMANDS, each));
        }
        return bytes;
    }

    public static List<byte[]> messages() {
        List<byte[]> messages = new ArrayList<>();
        for (List<Register<String, byte[]>> registers : List.of(some(), crowd())) {
            ByteOutput write = MapMessage.begin(MapMessage.WRITE).putInt(registers.size());
            registers.forEach(each -> REGISTERS.putWrite(each, write));
            messages.add(MapMessage.stamp(write, 7, 3, true, STAMP));
            ByteOutput drop = MapMessage.begin(MapMessage.DROP).putBoolean(true).putInt(registers.size());
            registers.forEach(each -> EntryVersion.CODEC.put(each.version(), drop.putText(each.key())));
            messages.add(MapMessage.stamp(drop, 7, 3, false, STAMP));
            ByteOutput again = MapMessage.begin(MapMessage.AGAIN).putText("side").putBoolean(true).putInt(registers.size());
            registers.forEach(each -> REGISTERS.put(each, again));
            messages.add(MapMessage.stamp(again, 7, 3, false, STAMP));
        }
        messages.add(MapMessage.stamp(MapMessage.begin(MapMessage.ASK), 1, 0, false, STAMP));
        messages.add(MapMessage.stamp(MapMessage.begin(MapMessage.TELL), 2, 0, false, STAMP));
        return messages;
    }

    public static List<byte[]> states() {
        List<Register<String, byte[]>> many = new ArrayList<>(some());
        List<Register<String, byte[]>> crowd = new ArrayList<>();
        for (int index = 0; index < 1_000; index++) {
            many.add(live("key " + index, index % 3, index));
            crowd.add(new Register<>(Integer.toString(index, 36), null, 0, EntryVersion.of(0, index, 0, 0, 0), 0, 0));
        }
        return List.of(state(some()), state(many), state(crowd));
    }

    private static byte[] state(List<Register<String, byte[]>> registers) {
        TreeMap<Member, Long> heard = new TreeMap<>();
        Values.MEMBERS.forEach(each -> heard.put(each, 12L));
        Blocks.Origin origin = new Blocks.Origin(new ViewId(3, 1, Values.first()), Values.MEMBERS);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new Image<>(origin, 5, 6, heard, new HybridClock.Known(9L << 16, Map.of("n1:7800", 8L, "n2:7800", 10L)), registers).write(REGISTERS, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
