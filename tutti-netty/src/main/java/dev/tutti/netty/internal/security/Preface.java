package dev.tutti.netty.internal.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The first bytes of the dialled side through TLS 1.3. The other side's handshake is over before its certificate was
 * checked; only the preface tells it that it is trusted.
 */
public final class Preface {

    private static final int WORD = 0x54555454;

    private int missingBytes;
    private int word;

    public Preface(boolean isExpected) {
        missingBytes = isExpected ? Integer.BYTES : 0;
    }

    public static ByteBuf bytes() {
        return Unpooled.directBuffer(Integer.BYTES).writeInt(WORD);
    }

    /** Takes the bytes of it that have arrived; returns whether they complete it. */
    public boolean isCompletedBy(ByteBuf bytes) {
        boolean wasMissing = missingBytes > 0;
        while (missingBytes > 0 && bytes.isReadable()) {
            word = word << Byte.SIZE | bytes.readUnsignedByte();
            missingBytes--;
        }
        return wasMissing && missingBytes == 0;
    }

    /** Returns whether a complete preface is right. */
    public boolean isRight() {
        return word == WORD;
    }
}
