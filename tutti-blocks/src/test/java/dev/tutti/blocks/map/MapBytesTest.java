package dev.tutti.blocks.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Registers, commands and states in bytes, also damaged ones. */
class MapBytesTest {

    private static final Member MEMBER = new Member(new NodeId(7, "n1", "n1:7800"), 1);

    private final RegisterCodec<String, String> codec = new RegisterCodec<>(Codec.TEXT, Codec.TEXT, () -> 1_000);

    private static EntryVersion version(long sequence) {
        return EntryVersion.of(3, sequence, 0, 1, 0);
    }

    private List<MapCommand<String, String>> commands() {
        Register<String, String> live = new Register<>("k", "v", 11, EntryVersion.NONE, 0, 1_000);
        Register<String, String> mortal = new Register<>("m", "v", 11, EntryVersion.NONE, 500, 900);
        Register<String, String> removal = new Register<>("r", null, 6, EntryVersion.NONE, 0, 1_000);
        return List.of(
                new MapCommand.Write<>(new MapCommand.Condition.Always<>(), new HybridClock.Stamp(8, 9), List.of(live, mortal, removal)),
                new MapCommand.Write<>(new MapCommand.Condition.Absent<>(), new HybridClock.Stamp(8, 9), List.of(live)),
                new MapCommand.Write<>(new MapCommand.Condition.Present<>(), new HybridClock.Stamp(8, 9), List.of(live)),
                new MapCommand.Write<>(new MapCommand.Condition.Equal<>("x"), new HybridClock.Stamp(8, 9), List.of(removal)),
                new MapCommand.Write<>(new MapCommand.Condition.Unchanged<>(version(9)), new HybridClock.Stamp(8, 9), List.of(live)),
                new MapCommand.Expire<>(List.of(new Register<>("k", null, 0, version(4), 0, 0))),
                new MapCommand.Again<>("side", 5, true, List.of(live.with(version(2)), mortal.with(version(3)))));
    }

    private byte[] bytes(MapCommand<String, String> command) {
        ByteOutput out = new ByteOutput();
        MapCommand.codec(codec).put(command, out);
        return out.copy();
    }

    @Test
    void commandsComeBackAsTheyWere() {
        for (MapCommand<String, String> command : commands()) {
            ByteInput in = new ByteInput(bytes(command));
            assertThat(MapCommand.codec(codec).take(in)).isEqualTo(command);
            in.end();
        }
    }

    @Test
    void damagedCommandsAreRefusedOrAreOthers() {
        SplittableRandom random = new SplittableRandom(1);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = bytes(commands().get(round % commands().size())).clone();
            for (int flips = 0; flips <= random.nextInt(3); flips++) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            ByteInput in = new ByteInput(
                    random.nextInt(4) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged);
            try {
                MapCommand.codec(codec).take(in);
                in.end();
            } catch (MalformedException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(5_000, 19_999);
    }

    @Test
    void commandOfTooManyEntriesIsRefused() {
        ByteOutput out = new ByteOutput().putByte(MapCommand.WRITE).putByte(0).putLong(8).putLong(9).putInt(Housekeeping.COUNT_MAX + 1);
        out.putRaw(new byte[60_000], 0, 60_000);
        assertThatThrownBy(() -> MapCommand.codec(codec).take(new ByteInput(out.copy())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("1025 entries in a command, at most 1024");
    }

    private byte[] image() throws IOException {
        Store<String, String> store = new Store<>();
        for (int index = 0; index < 3_000; index++) {
            store.set(new Register<>("key " + index, "v".repeat(50), 66, version(index), 0, 1_000));
        }
        store.set(new Register<>("gone", null, 9, version(4_000), 0, 1_000));
        TreeMap<Member, Long> heard = new TreeMap<>();
        heard.put(MEMBER, 12L);
        Blocks.Origin origin = new Blocks.Origin(new ViewId(3, 1, MEMBER), List.of(MEMBER));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Image<>(origin, 5, 6, heard, new HybridClock.Known(7, Map.of("n1:7800", 8L)), Image.registers(store)).write(codec, out);
        return out.toByteArray();
    }

    @Test
    void stateComesBackAsItWas() throws IOException {
        Image<String, String> read = Image.read(codec, new ByteArrayInputStream(image()));
        assertThat(read.clock()).isEqualTo(5);
        assertThat(read.changes()).isEqualTo(6);
        assertThat(read.time()).isEqualTo(new HybridClock.Known(7, Map.of("n1:7800", 8L)));
        assertThat(read.heard()).containsEntry(MEMBER, 12L);
        assertThat(read.origin().members()).containsExactly(MEMBER);
        assertThat(read.store().size()).isEqualTo(3_000);
        assertThat(read.store().get("key 2999")).isEqualTo("v".repeat(50));
        assertThat(read.store().versionOf("gone")).isEqualTo(version(4_000));
    }

    @Test
    void stateThatEndsEarlyIsNoState() throws IOException {
        byte[] whole = image();
        for (int length = 0; length < whole.length; length += 997) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> Image.read(codec, new ByteArrayInputStream(cut))).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void timeToLiveBeyondTheEndOfTimeIsForEver() {
        assertThat(new Register<>("k", "v", 2, version(1), Long.MAX_VALUE, 1_000).dueNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(new Register<>("k", "v", 2, version(1), Long.MAX_VALUE, -5).dueNanos()).isEqualTo(Long.MAX_VALUE - 5);
        assertThat(new Register<>("k", "v", 2, version(1), 7, 1_000).dueNanos()).isEqualTo(1_007);
    }

    @Test
    void laterWriteStandsInWhateverOrderTheyCome() {
        List<EntryVersion> versions = new ArrayList<>(List.of(
                EntryVersion.NONE,
                EntryVersion.of(1, 9, 0, 3, 0),
                EntryVersion.of(1, 9, 0, 3, 0).dropped(),
                EntryVersion.of(1, 10, 0, 0, 0),
                EntryVersion.of(2, 1, 0, 0, 0).again(3, 1, 0),
                EntryVersion.of(2, 2, 0, 0, 0).again(3, 0, 0),
                EntryVersion.of(3, 1, 0, 0, 0),
                EntryVersion.of(3, 1, 0, 1, 0),
                EntryVersion.of(3, 1, 0, 1, 1)));
        assertThat(versions).isSorted();
        EntryVersion twice = EntryVersion.of(2, 7, 0, 0, 0).again(3, 1, 5).again(4, 0, 6);
        assertThat(twice).isEqualTo(new EntryVersion(4, 0, 0, 2, 7, 0, 6, false));
    }
}
