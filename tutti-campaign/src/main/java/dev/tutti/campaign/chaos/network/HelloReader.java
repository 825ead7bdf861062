package dev.tutti.campaign.chaos.network;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the name of the dialling node from the HELLO at the start of a connection (docs/wire.md). */
final class HelloReader {

    private static final int MAGIC = 0x74757469;
    private static final int VERSIONS_BYTES = 2;

    /** Length of the longest HELLO; a connection without a name in so many bytes has none. */
    static final int BYTES_MAX = 4_200;

    private HelloReader() {}

    /**
     * @param begin the first bytes of a connection, as many as have come, from position to limit
     * @return the name of the node that has dialled; null if it has not arrived yet, or never will
     */
    static @Nullable String name(ByteBuffer begin) {
        ByteBuffer bytes = begin.duplicate();
        int magic = find(bytes);
        if (magic < 0) {
            return null;
        }
        bytes.position(magic + Integer.BYTES);
        if (bytes.remaining() < VERSIONS_BYTES) {
            return null;
        }
        bytes.position(bytes.position() + VERSIONS_BYTES);
        if (takeText(bytes) == null || bytes.remaining() < Long.BYTES) {
            return null;
        }
        bytes.getLong();
        return takeText(bytes);
    }

    private static int find(ByteBuffer bytes) {
        for (int at = bytes.position(); at + Integer.BYTES <= bytes.limit(); at++) {
            if (bytes.getInt(at) == MAGIC) {
                return at;
            }
        }
        return -1;
    }

    private static @Nullable String takeText(ByteBuffer bytes) {
        if (bytes.remaining() < Integer.BYTES) {
            return null;
        }
        int length = bytes.getInt();
        if (length < 0 || length > bytes.remaining()) {
            return null;
        }
        byte[] text = new byte[length];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
