package dev.tutti.sites.internal.log;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * File with the numbers of messages that were dropped although a site lacks them: for each sender, the last one. It is appended
 * to, and written anew when it has become long.
 */
final class DroppedFile {

    /** Length from which on the file is written anew with one record for each sender. */
    private static final int LONG_BYTES = 1 << 20;

    private static final byte[] NOTHING = {};

    private final Path file;
    private final TreeMap<OriginMember, Long> last = new TreeMap<>();
    private Segment records;

    /** Opens the file, which is created if it is missing, and cut off before a damaged record. */
    DroppedFile(Path file) throws IOException {
        this.file = file;
        this.records = Segment.open(file, 0);
        try {
            for (long position = 0; position < records.end(); position++) {
                Entry entry = Entry.take(new ByteInput(records.read(position)));
                last.merge(entry.member(), entry.sequence(), Math::max);
            }
        } catch (MalformedException e) {
            records.close();
            throw new IOException(file + " can't be read: " + e.getMessage(), e);
        }
    }

    /** Returns for each sender the number of its last message that was dropped. */
    Map<OriginMember, Long> last() {
        return last;
    }

    void note(OriginMember member, long sequence) throws IOException {
        last.merge(member, sequence, Math::max);
        append(records, member, sequence);
        if (records.bytes() > LONG_BYTES && records.end() > 2L * last.size()) {
            writeAnew();
        }
    }

    private static void append(Segment to, OriginMember member, long sequence) throws IOException {
        ByteOutput out = new ByteOutput();
        new Entry(member, sequence, List.of(), false, NOTHING).put(out);
        to.append(ByteBuffer.wrap(out.array(), 0, out.length()));
    }

    private void writeAnew() throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.deleteIfExists(next);
        Segment shorter = Segment.open(next, 0);
        try {
            for (Map.Entry<OriginMember, Long> each : last.entrySet()) {
                append(shorter, each.getKey(), each.getValue());
            }
        } finally {
            shorter.close();
        }
        records.close();
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        records = Segment.open(file, 0);
    }

    void close() {
        records.close();
    }

    void delete() {
        records.delete();
    }
}
