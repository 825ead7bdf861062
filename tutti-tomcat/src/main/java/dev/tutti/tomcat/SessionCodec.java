package dev.tutti.tomcat;

import java.io.IOException;

/**
 * Encodes session attributes as bytes, and decodes them.
 *
 * <p>Used by many threads concurrently. Equal values should give equal bytes: a different encoding is how a change of
 * an attribute is detected.
 *
 * <p>An implementation is named in {@code <Manager codec="…">} by its class, which needs a public constructor without
 * parameters. It must not create an object of a class that the bytes name unless the class is on a list of allowed
 * ones.
 */
public interface SessionCodec {

    /** Returns whether {@code value} can possibly be encoded; attributes that can't be stay at their node. */
    default boolean supports(Object value) {
        return true;
    }

    /**
     * @throws IOException if {@code value} can't be encoded; the message says why, and what would be right
     */
    byte[] encode(Object value) throws IOException;

    /**
     * @param classes class loader of the application
     * @throws IOException if the bytes are not those of a value, or its class is not allowed
     * @throws ClassNotFoundException if {@code classes} does not have its class
     */
    Object decode(byte[] bytes, ClassLoader classes) throws IOException, ClassNotFoundException;
}
