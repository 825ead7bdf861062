package dev.tutti;

import dev.tutti.internal.state.SkippingStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * An application's state as it was at a cut, while the application continues: a copy, a copy-on-write image, a
 * transaction of a database.
 *
 * <p>It is written as often as newcomers need it, each time on a thread of its own, and to several newcomers at a time.
 */
public interface Snapshot extends AutoCloseable {

    /**
     * Writes the state. Blocks while the newcomer does not keep up.
     *
     * @throws IOException as thrown by {@code out}, when the newcomer is gone, or when the state can't be read
     */
    void write(OutputStream out) throws IOException;

    /**
     * Writes the state without its first {@code offset} bytes, for a transfer that another member has begun ({@link
     * GroupState#isReproducible}). By default it writes all of it and drops the beginning.
     */
    default void write(OutputStream out, long offset) throws IOException {
        write(new SkippingStream(out, offset));
    }

    /** Returns the number of bytes that will be written, to display progress; negative if it is not known. */
    default long bytes() {
        return -1;
    }

    /**
     * Releases the snapshot when no newcomer needs it any more. Called once, when nothing is being written, on a thread
     * of its own or on the last that has written.
     */
    @Override
    default void close() {}
}
