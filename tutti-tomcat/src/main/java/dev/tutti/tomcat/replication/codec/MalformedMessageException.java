package dev.tutti.tomcat.replication.codec;

/** Thrown for bytes that no member of this version sends; the message says what was expected and where. */
public final class MalformedMessageException extends Exception {

    private static final long serialVersionUID = 1;

    public MalformedMessageException(String message) {
        super(message);
    }
}
