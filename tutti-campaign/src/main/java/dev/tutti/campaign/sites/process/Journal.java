package dev.tutti.campaign.sites.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * File with the numbers that a process has reached: of its own messages that were accepted, and of those of each sender that it has
 * delivered. It is mapped into memory, so that it is exact also after the process was killed. Each number has one thread that
 * writes it.
 */
public final class Journal {

    /** Number of senders that have room. */
    private static final int SENDERS_MAX = 4_095;

    private static final int BYTES = (SENDERS_MAX + 1) * Long.BYTES;

    private final MappedByteBuffer content;

    /** Makes the file. */
    Journal(Path file) {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            content = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException("no journal " + file, e);
        }
    }

    void accepted(long number) {
        content.putLong(0, number);
    }

    void delivered(int sender, long number) {
        content.putLong((1 + sender) * Long.BYTES, number);
    }

    /**
     * Numbers of a journal.
     *
     * @param delivered last number by sender, of those that have one
     */
    public record Told(long accepted, Map<Integer, Long> delivered) {}

    /** Reads the journal of a process that has ended, or lives; nothing if it has not come to make it. */
    public static Told read(Path file) {
        if (!Files.exists(file)) {
            return new Told(0, Map.of());
        }
        try {
            ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
            Map<Integer, Long> delivered = new HashMap<>();
            for (int sender = 0; (sender + 2) * Long.BYTES <= content.capacity(); sender++) {
                long number = content.getLong((1 + sender) * Long.BYTES);
                if (number > 0) {
                    delivered.put(sender, number);
                }
            }
            return new Told(content.capacity() == 0 ? 0 : content.getLong(0), delivered);
        } catch (IOException e) {
            throw new UncheckedIOException("the journal " + file + " can't be read", e);
        }
    }
}
