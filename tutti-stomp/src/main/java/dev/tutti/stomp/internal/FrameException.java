package dev.tutti.stomp.internal;

/** A client has done what ends its connection; the message is for people, and goes to the client. */
public final class FrameException extends Exception {

    private static final long serialVersionUID = 1;

    private final Fault fault;

    FrameException(Fault fault, String message) {
        // Whoever reaches the port can cause these: they cost no stack trace.
        super(message, null, false, false);
        this.fault = fault;
    }

    static FrameException malformed(String message) {
        return new FrameException(Fault.MALFORMED, message);
    }

    public Fault fault() {
        return fault;
    }

    /** The message, never null. */
    String text() {
        String message = getMessage();
        return message == null ? fault.name() : message;
    }
}
