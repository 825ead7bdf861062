package dev.tutti.announce.message;

import java.io.Serial;

/** Bytes that are no message between web nodes and balancers. The message says what is wrong. */
public final class MalformedAnnouncementException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public MalformedAnnouncementException(String message) {
        super(message);
    }
}
