package dev.tutti.jcache.internal;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.Deadlines;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A cache at a cut, for members that join.
 *
 * @param origin side that it comes from
 * @param agreement settings that all members must have alike
 * @param changes number of changes that were made
 * @param entries from the first written to the last
 */
record CacheImage(Blocks.Origin origin, String agreement, long changes, List<Stored> entries) {

    private static final byte FORMAT = 1;

    /** Writes the image; the remaining time of entries is that at {@code nowNanos}. */
    void write(long nowNanos, OutputStream stream) throws IOException {
        DataOutputStream out = new DataOutputStream(stream);
        ByteOutput block = new ByteOutput();
        origin.put(FORMAT, block);
        block.putText(agreement).putLong(changes);
        Blocks.write(block, out);
        for (Stored entry : entries) {
            long deadline = entry.deadlineNanos();
            block.putBytes(entry.key().bytes()).putBytes(entry.bytes());
            entry.version().put(block);
            block.putLong(deadline == Stored.NEVER ? Change.ETERNAL : Math.max(0, deadline - nowNanos));
            if (block.length() >= Blocks.ENOUGH) {
                Blocks.write(block, out);
            }
        }
        Blocks.end(block, out);
    }

    static CacheImage read(Serializer serializer, long nowNanos, InputStream stream) throws IOException {
        DataInputStream source = new DataInputStream(stream);
        ByteInput in = Blocks.read(source);
        Blocks.Origin origin = Blocks.Origin.take(FORMAT, in);
        String agreement = in.takeText();
        long changes = in.takeLong();
        in.end();
        List<Stored> entries = new ArrayList<>();
        Version last = Version.NONE;
        for (in = Blocks.read(source); in.remaining() > 0; in = Blocks.read(source)) {
            while (in.remaining() > 0) {
                Key key = serializer.key(in.takeBytes());
                byte[] value = in.takeBytes();
                Version version = Version.take(in);
                if (version.compareTo(last) <= 0) {
                    throw new MalformedException("an entry of version " + version + " after one of version " + last);
                }
                last = version;
                long rest = in.takeLong();
                entries.add(new Stored(key, value, version, rest < 0 ? Stored.NEVER : Deadlines.after(nowNanos, rest)));
            }
        }
        return new CacheImage(origin, agreement, changes, entries);
    }
}
