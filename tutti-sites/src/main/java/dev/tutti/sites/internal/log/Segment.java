package dev.tutti.sites.internal.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** File of a {@link DiskLog}: records, each with its length and checksum (CRC-32C), in front of the bytes. */
final class Segment {

    private static final int HEAD_BYTES = 2 * Integer.BYTES;

    /** Longest record in bytes; a longer one is damage. */
    private static final int RECORD_MAX = 1 << 30;

    private final Path file;
    private final FileChannel channel;
    private final long base;
    private int[] offsets = new int[64];
    private int count;
    private int size;
    private long damagedBytes;

    private Segment(Path file, FileChannel channel, long base) {
        this.file = file;
        this.channel = channel;
        this.base = base;
    }

    /**
     * Opens or creates a file, checks its records, and cuts it off before the first that is damaged.
     *
     * @param base position of its first message
     */
    static Segment open(Path file, long base) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Segment segment = new Segment(file, channel, base);
        try {
            segment.check();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return segment;
    }

    private void check() throws IOException {
        long length = channel.size();
        while (length - size >= HEAD_BYTES) {
            ByteBuffer head = readAt(size, HEAD_BYTES);
            int bytes = head.getInt();
            int checksum = head.getInt();
            if (bytes < Entry.BYTES_MIN || bytes > RECORD_MAX || length - size - HEAD_BYTES < bytes) {
                break;
            }
            ByteBuffer record = readAt(size + HEAD_BYTES, bytes);
            if (checksum(record) != checksum) {
                break;
            }
            note(HEAD_BYTES + bytes);
        }
        if (size < length) {
            damagedBytes = length - size;
            channel.truncate(size);
        }
    }

    private void note(int bytes) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
        }
        offsets[count++] = size;
        size += bytes;
    }

    private static int checksum(ByteBuffer record) {
        CRC32C crc = new CRC32C();
        crc.update(record.duplicate());
        return (int) crc.getValue();
    }

    private ByteBuffer readAt(long offset, int bytes) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(bytes);
        while (read.hasRemaining()) {
            if (channel.read(read, offset + read.position()) < 0) {
                throw new IOException("the file " + file + " ends within a record");
            }
        }
        return read.flip();
    }

    /** Appends a record and returns its size in the file. If that fails, the file is as it was. */
    int append(ByteBuffer record) throws IOException {
        int bytes = HEAD_BYTES + record.remaining();
        ByteBuffer whole = ByteBuffer.allocate(bytes);
        whole.putInt(record.remaining()).putInt(checksum(record)).put(record.duplicate()).flip();
        try {
            while (whole.hasRemaining()) {
                channel.write(whole, (long) size + whole.position());
            }
        } catch (IOException e) {
            channel.truncate(size);
            throw e;
        }
        note(bytes);
        return bytes;
    }

    /** Returns the bytes of the record at a position. */
    byte[] read(long position) throws IOException {
        int index = (int) (position - base);
        ByteBuffer record = readAt(offsets[index], sizeOf(index));
        record.getInt();
        int checksum = record.getInt();
        if (checksum(record) != checksum) {
            throw new IOException("the record at byte " + offsets[index] + " of " + file + " is damaged");
        }
        byte[] bytes = new byte[record.remaining()];
        record.get(bytes);
        return bytes;
    }

    private int sizeOf(int index) {
        return (index + 1 < count ? offsets[index + 1] : size) - offsets[index];
    }

    /** Returns the bytes of the records from one position to before another. */
    long bytesBetween(long from, long to) {
        int last = (int) (to - base);
        return (last < count ? offsets[last] : size) - offsets[(int) (from - base)];
    }

    /** Returns the position of its first message. */
    long base() {
        return base;
    }

    /** Returns the position behind its last message. */
    long end() {
        return base + count;
    }

    int bytes() {
        return size;
    }

    long damagedBytes() {
        return damagedBytes;
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the file " + file + " can't be closed", e);
        }
    }

    void delete() {
        close();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the file " + file + " can't be deleted", e);
        }
    }
}
