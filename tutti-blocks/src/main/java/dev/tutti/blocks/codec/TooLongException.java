package dev.tutti.blocks.codec;

/** Thrown when a value takes more bytes than {@link ByteOutput#lengthMax}. */
public final class TooLongException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public TooLongException(String message) {
        super(message);
    }
}
