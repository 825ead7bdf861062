package dev.tutti.tomcat.replication.codec;

import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
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
 * File of messages with the sessions and tombstones of a member at its stop. Big-endian:
 *
 * <pre>int magic | long writtenMillis | n × (int length, message) | int -1 | long CRC-32C of all before</pre>
 *
 * <p>An incomplete file is not read at all.
 */
public final class SessionArchive {

    private static final int MAGIC = 0x74755331;
    private static final int END = -1;

    /** Receives the messages of an archive, one by one. */
    @FunctionalInterface
    public interface Reader {
        void read(SessionMessage message, long agedMillis);
    }

    private SessionArchive() {}

    /**
     * Writes all sessions, and the tombstones of those that ended.
     *
     * @param nowMillis time by the wall clock
     * @return number of sessions
     */
    public static int write(Path file, SessionStore store, long nowNanos, long nowMillis) throws IOException {
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
     * @param reader receives each message with the time since the archive was written; 0 if the wall clock went back
     * @throws IOException if the file can't be read or is damaged; {@code reader} has received nothing then
     */
    public static void read(Path file, long nowMillis, Reader reader) throws IOException {
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
