package dev.tutti;

import java.io.IOException;
import java.io.OutputStream;

/**
 * An application's state as it was at a cut, while the application goes on: a copy, a copy-on-write image, a transaction of
 * a database.
 *
 * <p>Written as often as newcomers need it, each time on a thread of its own, and to several at a time.
 */
public interface Snapshot extends AutoCloseable {

    /**
     * Writes the state. Waits where the newcomer does not keep up.
     *
     * @throws IOException as {@code out} has thrown it, when the newcomer is gone, or when the state can't be read
     */
    void write(OutputStream out) throws IOException;

    /**
     * Writes the state without its first {@code offset} bytes: for a transfer that another member has begun
     * ({@link GroupState#isReproducible}). By default all of it is written, and the beginning goes nowhere.
     */
    default void write(OutputStream out, long offset) throws IOException {
        write(new SkippingStream(out, offset));
    }

    /** How many bytes will be written, for people who wait; negative if it is not known. */
    default long bytes() {
        return -1;
    }

    /** No newcomer needs it any more. Called once, when nothing is being written, on a thread of its own or the last that has written. */
    @Override
    default void close() {}
}
