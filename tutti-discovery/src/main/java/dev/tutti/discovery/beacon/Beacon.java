package dev.tutti.discovery.beacon;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One datagram: a question, which tells all who hear it of the asking node, or the answer to one.
 *
 * <p>Bytes: {@code "tutti-d1"}, kind (1 question, 2 answer), the question's number (8 bytes), and cluster and address, each as its
 * length in a byte and UTF-8.
 *
 * @param isQuestion otherwise an answer
 * @param question number that answers repeat
 * @param address of the node that sends it
 */
record Beacon(boolean isQuestion, long question, String cluster, String address) {

    static final int BYTES_MAX = 600;

    private static final byte[] MAGIC = "tutti-d1".getBytes(StandardCharsets.US_ASCII);
    private static final byte QUESTION = 1;
    private static final byte ANSWER = 2;
    private static final int TEXT_MAX = 255;

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
        bytes.put(MAGIC).put(isQuestion ? QUESTION : ANSWER).putLong(question);
        put(bytes, cluster);
        put(bytes, address);
        return bytes.flip();
    }

    private static void put(ByteBuffer bytes, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > TEXT_MAX) {
            throw new IllegalArgumentException("'" + text + "' has " + utf8.length + " bytes, at most " + TEXT_MAX);
        }
        bytes.put((byte) utf8.length).put(utf8);
    }

    /** Returns null if the bytes are no datagram of this kind. */
    static @Nullable Beacon decode(ByteBuffer bytes) {
        if (bytes.remaining() < MAGIC.length + 1 + Long.BYTES + 2) {
            return null;
        }
        for (byte expected : MAGIC) {
            if (bytes.get() != expected) {
                return null;
            }
        }
        byte kind = bytes.get();
        long question = bytes.getLong();
        String cluster = text(bytes);
        String address = text(bytes);
        if (cluster == null || address == null || bytes.hasRemaining() || kind != QUESTION && kind != ANSWER) {
            return null;
        }
        return new Beacon(kind == QUESTION, question, cluster, address);
    }

    private static @Nullable String text(ByteBuffer bytes) {
        if (!bytes.hasRemaining()) {
            return null;
        }
        int length = Byte.toUnsignedInt(bytes.get());
        if (length > bytes.remaining()) {
            return null;
        }
        byte[] utf8 = new byte[length];
        bytes.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
