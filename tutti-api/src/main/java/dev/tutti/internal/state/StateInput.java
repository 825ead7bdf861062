package dev.tutti.internal.state;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Stream that the application reads while it installs a state: the state of one cut, from its start. For the installing
 * thread.
 */
final class StateInput extends InputStream {

    /** Gives the stream its content. */
    interface Source {

        /**
         * Waits for the next bytes.
         *
         * @return null at the end of the state
         */
        byte @Nullable [] next() throws Interrupted;
    }

    /** Thrown when the stream fails for a reason outside of the application. */
    static final class Interrupted extends IOException {
        private static final long serialVersionUID = 1;

        Interrupted(String message) {
            super(message);
        }
    }

    private final Source source;
    private final Stillness stillness;
    private byte[] bytes = new byte[0];
    private int offset;
    private long at;
    private boolean isAtEnd;
    private @Nullable Interrupted failure;

    /** @param stillness learns when the application reads, and when it waits in a read */
    StateInput(Source source, Stillness stillness) {
        this.source = source;
        this.stillness = stillness;
    }

    @Override
    public int read() throws IOException {
        return fill() ? bytes[offset++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, bytes.length - offset);
        System.arraycopy(bytes, offset, into, from, count);
        offset += count;
        return count;
    }

    @Override
    public int available() {
        return bytes.length - offset;
    }

    private boolean fill() throws IOException {
        stillness.onRead();
        if (failure != null) {
            throw failure;
        }
        if (offset < bytes.length) {
            return true;
        }
        if (isAtEnd) {
            return false;
        }
        stillness.reading(true);
        try {
            byte[] next = source.next();
            if (next == null) {
                isAtEnd = true;
                return false;
            }
            bytes = next;
            offset = 0;
            at += next.length;
            return true;
        } catch (Interrupted e) {
            failure = e;
            throw e;
        } finally {
            stillness.reading(false);
        }
    }

    /** Returns the number of bytes that the source has given so far. */
    long at() {
        return at;
    }

    /** Returns whether the application has read to the end. */
    boolean isAtEnd() {
        return isAtEnd;
    }

    /** Returns the failure of the stream, which the application may have ignored; null if there is none. */
    @Nullable Interrupted failure() {
        return failure;
    }
}
