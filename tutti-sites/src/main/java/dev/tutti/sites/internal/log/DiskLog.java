package dev.tutti.sites.internal.log;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Log in files of a directory. A message is with the operating system when {@link #append} returns, so that it survives the end of
 * the process; a loss of power may take the last seconds. Each record has a checksum. Reading and writing block the caller.
 *
 * <p>The log consists of {@linkplain Segment segments} of about 16 MiB, named by the position of their first message. Trimming
 * deletes whole segments; the memory for a message is the four bytes of its offset.
 */
public final class DiskLog implements RetainedLog {

    private static final int SEGMENT_BYTES = 16 << 20;
    private static final int DIGITS = 19;
    private static final Pattern NAME = Pattern.compile("\\d{" + DIGITS + "}\\.log");

    private final Path directory;
    private final int segmentBytes;
    private final TreeMap<Long, Segment> segments = new TreeMap<>();
    private final ByteOutput out = new ByteOutput();
    private long first;
    private long end;
    private long bytes;
    private long damagedBytes;

    /**
     * Opens the log of a directory, which is created if it is missing. A segment is cut off before a damaged record: there are no
     * messages at these positions then.
     *
     * @throws IOException if a file can't be read or written
     */
    public DiskLog(Path directory) throws IOException {
        this(directory, SEGMENT_BYTES);
    }

    /** @param segmentBytes size from which on a new segment is begun */
    DiskLog(Path directory, int segmentBytes) throws IOException {
        this.segmentBytes = segmentBytes;
        this.directory = Files.createDirectories(directory);
        List<Path> files;
        try (Stream<Path> found = Files.list(directory)) {
            files = found.filter(file -> NAME.matcher(file.getFileName().toString()).matches()).sorted().toList();
        }
        try {
            for (Path file : files) {
                long base = Long.parseLong(file.getFileName().toString().substring(0, DIGITS));
                Segment segment = Segment.open(file, base);
                segments.put(base, segment);
                damagedBytes += segment.damagedBytes();
            }
        } catch (IOException e) {
            close();
            throw e;
        }
        first = segments.isEmpty() ? 0 : segments.firstKey();
        end = segments.isEmpty() ? 0 : segments.lastEntry().getValue().end();
        bytes = segments.values().stream().mapToLong(Segment::bytes).sum();
    }

    Path directory() {
        return directory;
    }

    /** Returns the bytes that were cut off when the log was opened, because a record was damaged or incomplete. */
    public long damagedBytes() {
        return damagedBytes;
    }

    /** @throws UncheckedIOException if the record can't be written, for example because the disk is full; nothing is appended then */
    @Override
    public long append(Entry entry) {
        out.reset(Integer.MAX_VALUE);
        entry.put(out);
        try {
            Segment last = segments.isEmpty() ? null : segments.lastEntry().getValue();
            if (last == null || last.bytes() >= segmentBytes) {
                last = Segment.open(directory.resolve(String.format(Locale.ROOT, "%019d.log", end)), end);
                segments.put(end, last);
            }
            bytes += last.append(ByteBuffer.wrap(out.array(), 0, out.length()));
            return end++;
        } catch (IOException e) {
            throw new UncheckedIOException("a message for other sites can't be written to " + directory + ": " + e.getMessage(), e);
        }
    }

    @Override
    public long first() {
        return first;
    }

    @Override
    public long end() {
        return end;
    }

    /** @throws UncheckedIOException if the record can't be read */
    @Override
    public @Nullable Entry at(long position) {
        if (position < first || position >= end) {
            return null;
        }
        Segment segment = segments.floorEntry(position).getValue();
        if (position >= segment.end()) {
            return null;
        }
        try {
            return Entry.take(new ByteInput(segment.read(position)));
        } catch (IOException | MalformedException e) {
            IOException cause = e instanceof IOException known ? known : new IOException(e);
            throw new UncheckedIOException("message " + position + " in " + directory + " can't be read: " + e.getMessage(), cause);
        }
    }

    @Override
    public void trimTo(long position) {
        long next = Math.min(position, end);
        while (first < next) {
            Segment oldest = segments.firstEntry().getValue();
            long last = Math.min(next, oldest.end());
            bytes -= oldest.bytesBetween(first, last);
            first = last;
            if (first == oldest.end()) {
                segments.pollFirstEntry();
                oldest.delete();
                first = segments.isEmpty() ? end : segments.firstKey();
            }
        }
    }

    /** Returns the bytes of the records that are kept. */
    @Override
    public long bytes() {
        return bytes;
    }

    /** Closes the files, which stay. */
    @Override
    public void close() {
        segments.values().forEach(Segment::close);
        segments.clear();
        first = end;
        bytes = 0;
    }

    /** Closes the log and deletes its files and its directory. */
    public void delete() throws IOException {
        for (Segment segment : new ArrayList<>(segments.values())) {
            segment.delete();
        }
        segments.clear();
        Files.deleteIfExists(directory);
    }
}
