package dev.tutti.blocks.component;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** States of components in bytes. */
final class Images {

    /** Greatest state of a passive component. */
    static final int BYTES_MAX = 64 << 20;

    private static final int HEADER_BYTES_MAX = 64 << 20;

    private Images() {}

    static byte[] bytesOf(GroupState state) {
        return bytesOf(state, BYTES_MAX);
    }

    /** @throws IllegalStateException if it has more than {@code bytesMax} bytes */
    static byte[] bytesOf(GroupState state, int bytesMax) {
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(int value) {
                checkRoom(1);
                super.write(value);
            }

            @Override
            public synchronized void write(byte[] source, int offset, int length) {
                checkRoom(length);
                super.write(source, offset, length);
            }

            private void checkRoom(int more) {
                if (more > bytesMax - count) {
                    throw new IllegalStateException(
                            "the state has more than " + bytesMax + " bytes, and a passive component sends all of it after each call");
                }
            }
        };
        try (Snapshot snapshot = state.snapshot()) {
            snapshot.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static void install(GroupState state, byte[] image) {
        try {
            state.install(new ByteArrayInputStream(image));
        } catch (IOException e) {
            throw new UncheckedIOException("a state can't be read by what has written it", e);
        }
    }

    /** Reads what {@link #writeHeader} has written. */
    static ByteInput readHeader(InputStream stream) throws IOException {
        DataInputStream in = new DataInputStream(stream);
        int length = in.readInt();
        if (length < 0 || length > HEADER_BYTES_MAX) {
            throw new IOException("a header of " + length + " bytes, at most " + HEADER_BYTES_MAX);
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a header of " + length + " bytes ends after " + bytes.length);
        }
        return new ByteInput(bytes);
    }

    static void writeHeader(OutputStream stream, byte[] header) throws IOException {
        stream.write(new ByteOutput().putInt(header.length).copy());
        stream.write(header);
    }

    static IOException unreadable(String name, MalformedException e) {
        return new IOException("the state of component " + name + " can't be read: " + e.getMessage(), e);
    }
}
