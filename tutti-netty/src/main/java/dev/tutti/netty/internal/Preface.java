package dev.tutti.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What the side that was dialled says first through TLS 1.3. The other side's handshake is over before anybody has looked
 * at its certificate; only this tells it that it is trusted.
 */
final class Preface {

    private static final int WORD = 0x54555454;

    private int missingBytes;
    private int word;

    Preface(boolean isExpected) {
        missingBytes = isExpected ? Integer.BYTES : 0;
    }

    static ByteBuf bytes() {
        return Unpooled.directBuffer(Integer.BYTES).writeInt(WORD);
    }

    /** Takes what has come of it; whether that was the last. */
    boolean isCompletedBy(ByteBuf bytes) {
        boolean wasMissing = missingBytes > 0;
        while (missingBytes > 0 && bytes.isReadable()) {
            word = word << Byte.SIZE | bytes.readUnsignedByte();
            missingBytes--;
        }
        return wasMissing && missingBytes == 0;
    }

    /** Of a whole one. */
    boolean isRight() {
        return word == WORD;
    }
}
