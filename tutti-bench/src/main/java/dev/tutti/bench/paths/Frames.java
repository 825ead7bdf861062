package dev.tutti.bench.paths;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Contents on a connection, each after its length. */
final class Frames {

    private static final int LENGTH_BYTES = 4;

    /** As much as the grid sends in a message. */
    private static final int WRITE_BYTES = 32 << 10;

    private final SocketChannel channel;
    private ByteBuffer in = ByteBuffer.allocateDirect(4 * WRITE_BYTES).flip();
    private ByteBuffer out = ByteBuffer.allocateDirect(WRITE_BYTES);
    private byte[] content = new byte[0];

    Frames(SocketChannel channel) {
        this.channel = channel;
    }

    void write(byte[] next) throws IOException {
        if (out.remaining() < LENGTH_BYTES + next.length) {
            flush();
            if (out.capacity() < LENGTH_BYTES + next.length) {
                out = ByteBuffer.allocateDirect(LENGTH_BYTES + next.length);
            }
        }
        out.putInt(next.length).put(next);
    }

    void flush() throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
        out.clear();
    }

    /** Returns the next content, which is valid until the next call. */
    byte[] read() throws IOException {
        fill(LENGTH_BYTES);
        int length = in.getInt();
        fill(length);
        if (content.length != length) {
            content = new byte[length];
        }
        in.get(content);
        return content;
    }

    private void fill(int bytes) throws IOException {
        if (in.remaining() >= bytes) {
            return;
        }
        if (in.capacity() < bytes) {
            in = ByteBuffer.allocateDirect(2 * bytes).put(in).flip();
        }
        in.compact();
        while (in.position() < bytes) {
            if (channel.read(in) < 0) {
                throw new EOFException("the other end has closed");
            }
        }
        in.flip();
    }
}
