package dev.tutti.stomp.internal.codec;

/** Thrown when a client has to be disconnected; the message is readable by people and is sent to the client. */
public final class FrameException extends Exception {

    private static final long serialVersionUID = 1;

    private final StompFault fault;

    public FrameException(StompFault fault, String message) {
        // Anybody who reaches the port can cause these: they have no stack trace, to stay cheap.
        super(message, null, false, false);
        this.fault = fault;
    }

    public static FrameException malformed(String message) {
        return new FrameException(StompFault.MALFORMED, message);
    }

    public StompFault fault() {
        return fault;
    }

    /** Returns the message, which is never null. */
    public String text() {
        String message = getMessage();
        return message == null ? fault.name() : message;
    }
}
