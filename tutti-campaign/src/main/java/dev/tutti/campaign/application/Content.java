package dev.tutti.campaign.application;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of an application: its place among the messages of its sender, and bytes that are derived from that.
 *
 * @param group index of its group in the plan
 * @param node number of the sender's process
 * @param incarnation incarnation of the sender's node
 * @param seat number of the sender's membership
 * @param stream stream of messages with which it is in order
 * @param number number of the message in its seat
 * @param length length of the whole message
 */
record Content(int group, int node, long incarnation, int seat, int stream, int number, int length) {

    static final int BYTES_MIN = 4 + 4 + 8 + 4 + 4 + 4 + 4;

    /** Streams of a member; those in scopes come after these. */
    static final int SENT = 0;

    static final int OUT_OF_BAND = 3;
    static final int FROM_CALLBACK = 4;
    static final int SCOPES = 10;

    boolean isOutOfBand() {
        return stream == OUT_OF_BAND;
    }

    boolean isScoped() {
        return stream >= SCOPES;
    }

    byte[] bytes() {
        byte[] bytes = new byte[length];
        ByteBuffer.wrap(bytes)
                .putInt(group)
                .putInt(node)
                .putLong(incarnation)
                .putInt(seat)
                .putInt(stream)
                .putInt(number)
                .putInt(length);
        for (int index = BYTES_MIN; index < length; index++) {
            bytes[index] = filler(index);
        }
        return bytes;
    }

    private byte filler(int index) {
        return (byte) (index * 31 + number + (index >>> 8) * 7);
    }

    /** Reads a message; returns null if no application has made it. */
    static @Nullable Content read(byte[] bytes) {
        if (bytes.length < BYTES_MIN) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Content read = new Content(in.getInt(), in.getInt(), in.getLong(), in.getInt(), in.getInt(), in.getInt(), in.getInt());
        if (read.length != bytes.length) {
            return null;
        }
        for (int index = BYTES_MIN; index < bytes.length; index++) {
            if (bytes[index] != read.filler(index)) {
                return null;
            }
        }
        return read;
    }

    /** Returns a text that no other message has. */
    String id() {
        return source() + "#" + number;
    }

    /** Returns the sender and its stream, as text. */
    String source() {
        return "n" + node + "/" + incarnation + "/" + seat + "/" + stream;
    }
}
