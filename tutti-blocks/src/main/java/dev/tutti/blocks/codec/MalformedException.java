package dev.tutti.blocks.codec;

/** Bytes are not what a {@link Codec} has written; the message says what was expected and what was there. */
public final class MalformedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public MalformedException(String message) {
        super(message);
    }
}
