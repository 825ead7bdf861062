package dev.tutti.sites.internal.log;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Log in files of a directory. A message is with the operating system when {@link #append} returns, so that it survives the end of
 * the process; a loss of power may take the last seconds. Each record has a checksum. Reading and writing block the caller.
 *
 * <p>The log consists of {@linkplain Segment segments} of about 16 MiB, named by the position of their first message, a file with
 * the position up to which it was trimmed, and one with the numbers of messages that sites lack nevertheless. Trimming deletes whole segments, except the last one. The memory for a message is the four
 * bytes of its offset.
 */
public final class DiskLog implements RetainedLog {

    static final int SEGMENT_BYTES = 16 << 20;

    private static final int DIGITS = 19;
    private static final Pattern NAME = Pattern.compile("\\d{" + DIGITS + "}\\.log");
    private static final String FIRST = "first";
    private static final String DROPPED = "dropped";

    private final Path directory;
    private final int segmentBytes;
    private final FileChannel firstFile;
    private final DroppedFile droppedFile;
    private final TreeMap<Long, Segment> segments = new TreeMap<>();
    private final ByteOutput out = new ByteOutput();

    /** The position up to which the log was trimmed, and its complement, by which damage shows. */
    private final ByteBuffer trimmed = ByteBuffer.allocate(2 * Long.BYTES);

    private long first;
    private long end;
    private long bytes;
    private long damagedBytes;

    /**
     * Opens the log of a directory, which is created if it is missing. A segment is cut off before a damaged record: there are no
     * messages at these positions then.
     *
     * @param start position of the first message of a new log
     * @param segmentBytes size from which on a new segment is begun
     * @throws IOException if a file can't be read or written
     */
    DiskLog(Path directory, long start, int segmentBytes) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.segmentBytes = segmentBytes;
        this.firstFile = FileChannel.open(
                directory.resolve(FIRST), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            this.droppedFile = new DroppedFile(directory.resolve(DROPPED));
        } catch (IOException e) {
            firstFile.close();
            throw e;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(one -> NAME.matcher(one.getFileName().toString()).matches()).sorted().toList()) {
                Segment segment = Segment.open(file, Long.parseLong(file.getFileName().toString().substring(0, DIGITS)));
                segments.put(segment.base(), segment);
                damagedBytes += segment.damagedBytes();
                bytes += segment.bytes();
            }
            first = segments.isEmpty() ? start : segments.firstKey();
            end = segments.isEmpty() ? start : segments.lastEntry().getValue().end();
            trimTo(readFirst());
        } catch (IOException | UncheckedIOException e) {
            closeFiles();
            throw e;
        }
    }

    /** Returns the position up to which the log was trimmed; 0 if that is not known, or damaged. */
    private long readFirst() throws IOException {
        boolean isWhole = firstFile.read(trimmed.clear(), 0) == trimmed.capacity();
        return isWhole && trimmed.getLong(0) == ~trimmed.getLong(Long.BYTES) ? trimmed.getLong(0) : 0;
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
                deleteTrimmed();
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

    /** @throws UncheckedIOException if a file can't be written or deleted */
    @Override
    public void trimTo(long position) {
        long next = Math.min(position, end);
        if (next <= first) {
            return;
        }
        for (Segment segment : segments.headMap(next).values()) {
            long from = Math.max(first, segment.base());
            long to = Math.min(next, segment.end());
            bytes -= from < to ? segment.bytesBetween(from, to) : 0;
        }
        first = next;
        deleteTrimmed();
        try {
            firstFile.write(trimmed.clear().putLong(0, first).putLong(Long.BYTES, ~first), 0);
        } catch (IOException e) {
            throw new UncheckedIOException("the log in " + directory + " can't be trimmed: " + e.getMessage(), e);
        }
    }

    /** @throws UncheckedIOException if the file can't be written */
    @Override
    public void noteDropped(OriginMember member, long sequence) {
        try {
            droppedFile.note(member, sequence);
        } catch (IOException e) {
            throw new UncheckedIOException("dropped messages can't be noted in " + directory + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Map<OriginMember, Long> dropped() {
        return Collections.unmodifiableMap(droppedFile.last());
    }

    /** Returns whether there is nothing to bring back: neither a message, nor a word of one that was dropped. */
    public boolean isEmpty() {
        return first == end && droppedFile.last().isEmpty();
    }

    /** Deletes the segments without messages that are kept, except the last one, which is appended to. */
    private void deleteTrimmed() {
        while (segments.size() > 1 && segments.higherKey(segments.firstKey()) <= first) {
            segments.pollFirstEntry().getValue().delete();
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
        closeFiles();
        segments.clear();
        first = end;
        bytes = 0;
    }

    private void closeFiles() {
        segments.values().forEach(Segment::close);
        droppedFile.close();
        try {
            firstFile.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the log in " + directory + " can't be closed", e);
        }
    }

    /** Closes the log and deletes its files and its directory. */
    void delete() throws IOException {
        List.copyOf(segments.values()).forEach(Segment::delete);
        segments.clear();
        close();
        droppedFile.delete();
        Files.deleteIfExists(directory.resolve(FIRST));
        Files.deleteIfExists(directory);
    }
}
