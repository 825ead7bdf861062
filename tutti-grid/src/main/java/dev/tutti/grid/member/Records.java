package dev.tutti.grid.member;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.nio.ByteBuffer;
import java.util.List;

/** Messages of the grid: one record, or several, each with its kind and length. */
final class Records {

    /** A measurement, for the consumers of the receiver. */
    static final int MEASUREMENT = 1;

    /** Measurements that were dropped on their way to the receiver. */
    static final int GAP = 2;

    /** Entry of the sender, which is new or has changed. */
    static final int ENTRY = 3;

    /** Identity of an entry of the sender that is withdrawn. */
    static final int WITHDRAWN = 4;

    /** All entries of the sender have been sent, for members that have come. Empty. */
    static final int COMPLETE = 5;

    /** All filters of the sender's consumers, for other sites. */
    static final int INTERESTS = 6;

    /** Entry of a client of the sender, with its lease, and the time that is left of it if the client is not connected. */
    static final int CLIENT_ENTRY = 7;

    /** Entry of a client without a member, with its lease, and the time that is left of it, for members that have come. */
    static final int ORPHAN = 8;

    /** Question of a member that has come, for the filters of other sites. Empty. */
    static final int INTERESTS_WANTED = 9;

    /** Time that is left of the lease of a client that is connected. */
    static final long CONNECTED = -1;

    private static final int HEAD = 1 + Integer.BYTES;

    private Records() {}

    /** Gets the records of a message. */
    interface Reader {
        void onRecord(int kind, ByteInput content);
    }

    static void begin(ByteOutput out, int kind) {
        out.putByte(kind).putInt(0);
    }

    /** Returns the only record that was put. */
    static byte[] end(ByteOutput out) {
        out.setInt(1, out.length() - HEAD);
        // A large body at the end fills the array.
        return out.array().length == out.length() ? out.array() : out.copy();
    }

    /**
     * Reads a message from its position to its limit.
     *
     * @throws MalformedException if the message is malformed; records before the place have been read
     */
    static void read(ByteBuffer message, Reader reader) {
        while (message.hasRemaining()) {
            int at = message.position();
            if (message.remaining() < HEAD) {
                throw new MalformedException("a record begins at " + at + ", and the message ends at " + message.limit());
            }
            int kind = message.get();
            int length = message.getInt();
            if (length < 0 || length > message.remaining()) {
                throw new MalformedException("a record of " + length + " bytes at " + at + ", and the message ends at " + message.limit());
            }
            ByteInput content = new ByteInput(message.slice(message.position(), length));
            message.position(message.position() + length);
            reader.onRecord(kind, content);
            content.end();
        }
    }

    /** Takes the length of a lease in nanoseconds. */
    static long takeLease(ByteInput in) {
        long nanos = in.takeLong();
        if (nanos <= 0 || nanos > Clients.LEASE_MAX.toNanos()) {
            throw new MalformedException("a lease of " + nanos + " ns, which is 1 to " + Clients.LEASE_MAX.toNanos());
        }
        return nanos;
    }

    static byte[] join(List<byte[]> records, int bytes) {
        if (records.size() == 1) {
            return records.getFirst();
        }
        byte[] all = new byte[bytes];
        int at = 0;
        for (byte[] each : records) {
            System.arraycopy(each, 0, all, at, each.length);
            at += each.length;
        }
        return all;
    }
}
