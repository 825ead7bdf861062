package dev.tutti.stomp.internal.codec;

import org.jspecify.annotations.Nullable;

/** Acknowledgement mode of a subscription. */
public enum AckMode {
    AUTO,
    /** An ACK covers all earlier messages, too. */
    CLIENT,
    CLIENT_INDIVIDUAL;

    public static AckMode of(@Nullable String header) throws FrameException {
        return switch (header == null ? "auto" : header) {
            case "auto" -> AUTO;
            case "client" -> CLIENT;
            case "client-individual" -> CLIENT_INDIVIDUAL;
            default -> throw FrameException.malformed("ack is auto, client or client-individual, not '" + header + "'");
        };
    }
}
