package dev.tutti.netty.internal.tcp;

import dev.tutti.core.Packet;

/** Guesses the protocol of a peer that sends something else than frames. */
final class Stranger {

    private Stranger() {}

    /** @param length the first four bytes, read as the length of a frame */
    static String describe(int length) {
        String size = "frame of " + Integer.toUnsignedString(length) + " bytes, at most " + Packet.FRAME_MAX;
        String who = protocol(length);
        return who.isEmpty() ? size : size + "; the first bytes look like " + who;
    }

    private static String protocol(int head) {
        if (head >>> 8 == 0x160301 || head >>> 8 == 0x160303) {
            return "TLS, which is not switched on here (tls.certificate or security.secret)";
        }
        return switch (head) {
            case 0x47455420, 0x504f5354, 0x48454144, 0x50555420, 0x44454c45, 0x4f505449, 0x434f4e4e, 0x50415443 ->
                "an HTTP request";
            case 0x50524920 -> "HTTP/2";
            case 0x48545450 -> "an HTTP response";
            case 0x5353482d -> "SSH";
            default -> "";
        };
    }
}
