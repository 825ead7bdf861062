package dev.tutti.stomp.internal;

import org.jspecify.annotations.Nullable;

/** Whether a subscription's client says what it has received. */
enum AckMode {
    AUTO,
    /** An ACK is for all messages before, too. */
    CLIENT,
    CLIENT_INDIVIDUAL;

    static AckMode of(@Nullable String header) throws FrameException {
        return switch (header == null ? "auto" : header) {
            case "auto" -> AUTO;
            case "client" -> CLIENT;
            case "client-individual" -> CLIENT_INDIVIDUAL;
            default -> throw FrameException.malformed("ack is auto, client or client-individual, not '" + header + "'");
        };
    }
}
