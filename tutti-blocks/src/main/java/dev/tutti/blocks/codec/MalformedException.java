package dev.tutti.blocks.codec;

/** Thrown for bytes that no {@link Codec} has written; the message says what was expected and what was found. */
public final class MalformedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public MalformedException(String message) {
        super(message);
    }
}
