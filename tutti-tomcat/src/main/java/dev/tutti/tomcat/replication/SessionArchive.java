package dev.tutti.tomcat.replication;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * A file of messages that say what a member knew when it stopped. Big-endian:
 *
 * <pre>int magic | long writtenMillis | n × (int length, message) | int -1 | long CRC-32C of all before</pre>
 *
 * <p>A file that is not whole is not read at all.
 */
final class SessionArchive {

    private static final int MAGIC = 0x74755331;
    private static final int END = -1;

    /** Is given what is in an archive, message by message. */
    @FunctionalInterface
    interface Reader {
        void read(SessionMessage message, long agedMillis);
    }

    private SessionArchive() {}

    /**
     * Writes all sessions, and the marks of those that ended.
     *
     * @param nowMillis by the wall clock
     * @return number of sessions
     */
    static int write(Path file, SessionStore store, long nowNanos, long nowMillis) throws IOException {
        int sessions = 0;
        CRC32C sum = new CRC32C();
        try (OutputStream stream = new BufferedOutputStream(Files.newOutputStream(file));
                DataOutputStream out = new DataOutputStream(new CheckedOutputStream(stream, sum))) {
            out.writeInt(MAGIC);
            out.writeLong(nowMillis);
            for (SessionMessage end : store.ends()) {
                write(out, end);
            }
            for (SessionRecord record : store.after(null).values()) {
                if (record.state() != SessionRecord.State.PARTIAL) {
                    write(out, record.image(nowNanos));
                    sessions++;
                }
            }
            out.writeInt(END);
            out.writeLong(sum.getValue());
        }
        return sessions;
    }

    private static void write(DataOutputStream out, SessionMessage message) throws IOException {
        byte[] bytes = MessageWriter.encode(0, message);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /**
     * @param reader is given each message with the time since the archive was written, by the wall clock; 0 if that went back
     * @throws IOException if the file can't be read or is damaged; nothing was given to {@code reader} then
     */
    static void read(Path file, long nowMillis, Reader reader) throws IOException {
        pass(file, nowMillis, (message, agedMillis) -> {});
        pass(file, nowMillis, reader);
    }

    private static void pass(Path file, long nowMillis, Reader reader) throws IOException {
        CRC32C sum = new CRC32C();
        long left = Files.size(file);
        try (InputStream stream = new BufferedInputStream(Files.newInputStream(file));
                DataInputStream in = new DataInputStream(new CheckedInputStream(stream, sum))) {
            int magic = in.readInt();
            if (magic != MAGIC) {
                throw new IOException(file + " begins with " + Integer.toHexString(magic) + ", not as sessions do");
            }
            long agedMillis = Math.max(0, nowMillis - in.readLong());
            for (int length = in.readInt(); length != END; length = in.readInt()) {
                if (length < 0 || length > left) {
                    throw new IOException(file + " has a message of " + length + " bytes in a file of " + left);
                }
                byte[] bytes = in.readNBytes(length);
                reader.read(MessageReader.decode(bytes).message(), agedMillis);
            }
            long expected = sum.getValue();
            long found = in.readLong();
            if (found != expected) {
                throw new IOException(file + " is damaged: its sum is " + found + " instead of " + expected);
            }
        } catch (MalformedMessageException e) {
            throw new IOException(file + " can't be read: " + e.getMessage(), e);
        }
    }
}
