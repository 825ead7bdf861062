package dev.tutti.netty.internal.security;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The first message of a TLS client, parsed before any costly computation for it. Takes any bytes. */
public final class ClientHello {

    /** Bytes after which an incomplete message is not waited for any more; those of nodes have some 500. */
    static final int MAX_BYTES = 4_096;

    private static final int RECORD_HEAD = 5;
    private static final int HANDSHAKE = 22;
    private static final int MESSAGE_HEAD = 4;
    private static final int CLIENT_HELLO = 1;
    private static final int VERSION_AND_RANDOM = 34;
    private static final int ALPN = 16;

    private ClientHello() {}

    /** Returns whether more bytes would add nothing: the record is complete, is too long, or is something else. */
    public static boolean isWhole(ByteBuf bytes) {
        int length = bytes.readableBytes();
        if (length == 0) {
            return false;
        }
        if (bytes.getUnsignedByte(bytes.readerIndex()) != HANDSHAKE || MAX_BYTES <= length) {
            return true;
        }
        return RECORD_HEAD <= length && RECORD_HEAD + bytes.getUnsignedShort(bytes.readerIndex() + 3) <= length;
    }

    /**
     * Returns the first application protocol (ALPN) that the client offers; empty if there is none. Consumes nothing.
     */
    static String protocol(ByteBuf bytes) {
        ByteBuf rest = bytes.slice();
        if (!skip(rest, RECORD_HEAD) || bytes.getUnsignedByte(bytes.readerIndex()) != HANDSHAKE) {
            return "";
        }
        if (rest.readableBytes() < MESSAGE_HEAD || rest.readUnsignedByte() != CLIENT_HELLO) {
            return "";
        }
        // Session, cipher suites, compression.
        boolean hasExtensions = skip(rest, 3 + VERSION_AND_RANDOM)
                && skipVector(rest, 1) && skipVector(rest, 2) && skipVector(rest, 1) && skip(rest, 2);
        while (hasExtensions && MESSAGE_HEAD <= rest.readableBytes()) {
            int type = rest.readUnsignedShort();
            if (type == ALPN) {
                return skip(rest, 4) ? text(rest) : "";
            }
            hasExtensions = skipVector(rest, 2);
        }
        return "";
    }

    private static String text(ByteBuf rest) {
        int length = rest.isReadable() ? rest.readUnsignedByte() : 0;
        return length <= rest.readableBytes() ? rest.readString(length, StandardCharsets.ISO_8859_1) : "";
    }

    private static boolean skip(ByteBuf rest, int length) {
        if (rest.readableBytes() < length) {
            return false;
        }
        rest.skipBytes(length);
        return true;
    }

    /** @param lengthBytes 1 or 2 */
    private static boolean skipVector(ByteBuf rest, int lengthBytes) {
        if (rest.readableBytes() < lengthBytes) {
            return false;
        }
        return skip(rest, lengthBytes == 1 ? rest.readUnsignedByte() : rest.readUnsignedShort());
    }
}
