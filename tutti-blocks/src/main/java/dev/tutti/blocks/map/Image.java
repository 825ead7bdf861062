package dev.tutti.blocks.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.core.Member;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A map at a cut.
 *
 * @param origin side that it comes from
 * @param clock the highest sequence that was seen
 * @param heard the last sequence of each member that has sent a message
 * @param time as known to the member that provided it
 * @param registers live ones and removals, each by version
 */
record Image<K, V>(
        Blocks.Origin origin,
        long clock,
        long changes,
        TreeMap<Member, Long> heard,
        HybridClock.Known time,
        List<Register<K, V>> registers) {

    private static final byte FORMAT = 2;

    void write(RegisterCodec<K, V> codec, OutputStream stream) throws IOException {
        DataOutputStream out = new DataOutputStream(stream);
        ByteOutput block = new ByteOutput();
        origin.put(FORMAT, block);
        block.putLong(clock).putLong(changes).putInt(heard.size());
        heard.forEach((member, sequence) -> {
            MemberCodec.MEMBER.put(member, block);
            block.putLong(sequence);
        });
        block.putLong(time.stamp()).putInt(time.walls().size());
        time.walls().forEach((address, millis) -> block.putText(address).putLong(millis));
        Blocks.write(block, out);
        for (Register<K, V> register : registers) {
            codec.put(register, block);
            if (block.length() >= Blocks.ENOUGH) {
                Blocks.write(block, out);
            }
        }
        Blocks.end(block, out);
    }

    static <K, V> Image<K, V> read(RegisterCodec<K, V> codec, InputStream stream) throws IOException {
        DataInputStream source = new DataInputStream(stream);
        ByteInput in = Blocks.read(source);
        Blocks.Origin origin = Blocks.Origin.take(FORMAT, in);
        long clock = in.takeLong();
        long changes = in.takeLong();
        TreeMap<Member, Long> heard = new TreeMap<>();
        int heardCount = in.takeCount(MemberCodec.BYTES_MIN + Long.BYTES);
        for (int index = 0; index < heardCount; index++) {
            Member member = MemberCodec.MEMBER.take(in);
            heard.put(member, in.takeLong());
        }
        long stamp = in.takeLong();
        Map<String, Long> walls = new LinkedHashMap<>();
        int wallCount = in.takeCount(Integer.BYTES + Long.BYTES);
        for (int index = 0; index < wallCount; index++) {
            walls.put(in.takeText(), in.takeLong());
        }
        in.end();
        List<Register<K, V>> registers = new ArrayList<>();
        for (in = Blocks.read(source); in.remaining() > 0; in = Blocks.read(source)) {
            while (in.remaining() > 0) {
                registers.add(codec.take(in));
            }
        }
        return new Image<>(origin, clock, changes, heard, new HybridClock.Known(stamp, walls), registers);
    }

    /** Returns a new store with all of it. */
    Store<K, V> store() {
        Store<K, V> store = new Store<>();
        registers.forEach(store::set);
        return store;
    }

    static <K, V> List<Register<K, V>> registers(Store<K, V> store) {
        List<Register<K, V>> all = store.live();
        all.addAll(store.removed());
        return all;
    }

    /** Returns keys and values, from the first written to the last. */
    static <K, V> Map<K, V> entries(List<Register<K, V>> registers) {
        Map<K, V> entries = new LinkedHashMap<>();
        for (Register<K, V> each : registers) {
            V value = each.value();
            if (value != null) {
                entries.put(each.key(), value);
            }
        }
        return entries;
    }
}
