package dev.tutti.tomcat;

import java.io.IOException;

/**
 * Turns session attributes into bytes and back.
 *
 * <p>Used by many threads at the same time. Equal values should give equal bytes, because that is how an attribute that
 * was only read is told from one that was changed.
 *
 * <p>An implementation is named in {@code <Manager codec="…">} by its class, which needs a public constructor without
 * parameters. It must never create objects of classes that the bytes name without asking a list of those allowed.
 */
public interface SessionCodec {

    /** Whether there is a chance to encode {@code value}; attributes for which there is none stay at their node. */
    default boolean supports(Object value) {
        return true;
    }

    /**
     * @throws IOException if it can't be encoded; the message says why, and what would be right
     */
    byte[] encode(Object value) throws IOException;

    /**
     * @param classes where the application's classes are
     * @throws IOException if the bytes are not those of a value, or of one that is not allowed
     * @throws ClassNotFoundException if {@code classes} has not got its class
     */
    Object decode(byte[] bytes, ClassLoader classes) throws IOException, ClassNotFoundException;
}
