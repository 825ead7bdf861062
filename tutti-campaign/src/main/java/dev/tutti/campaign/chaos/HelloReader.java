package dev.tutti.campaign.chaos;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Finds out who has dialled, from the HELLO that a connection begins with (docs/wire.md). */
final class HelloReader {

    private static final int MAGIC = 0x74757469;
    private static final int VERSIONS_BYTES = 2;

    /** Bytes after which a connection that has not said who it is never will. */
    static final int BYTES_MAX = 4_200;

    private HelloReader() {}

    /**
     * @param begin the first bytes of a connection, as many as have come, from position to limit
     * @return the name of the node that has dialled; null if it is not there yet, or never will be
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
