package dev.tutti.grid.bridges.prometheus;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.Snappy;

/** Blocks of Snappy, which have their length in front and no frame. */
final class SnappyBlock {

    /** Netty's table has 16 bits for a place, so that it sees this much at a time. */
    private static final int PIECE = 1 << 15;

    private SnappyBlock() {}

    /** Returns bytes as one block. Its pieces refer to nothing before them, and follow each other without their lengths. */
    static byte[] compress(byte[] bytes) {
        ByteBuf out = Unpooled.buffer(bytes.length / 2 + 16);
        putLength(bytes.length, out);
        Snappy snappy = new Snappy();
        for (int begin = 0; begin < bytes.length; begin += PIECE) {
            int length = Math.min(PIECE, bytes.length - begin);
            ByteBuf piece = Unpooled.buffer(length + length / 6 + 32);
            snappy.reset();
            snappy.encode(Unpooled.wrappedBuffer(bytes, begin, length), piece, length);
            while (piece.readByte() < 0) {
                // A byte of the length that another follows.
            }
            out.writeBytes(piece);
        }
        byte[] block = new byte[out.readableBytes()];
        out.readBytes(block);
        return block;
    }

    private static void putLength(int length, ByteBuf out) {
        int left = length;
        while (left > 0x7f) {
            out.writeByte(left & 0x7f | 0x80);
            left >>>= 7;
        }
        out.writeByte(left);
    }
}
