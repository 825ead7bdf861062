package dev.tutti.protocols.link;

import dev.tutti.core.Packet;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Guesses the protocol of remote ends that are no peers, for messages to people. */
final class ProtocolSniffer {

    private ProtocolSniffer() {}

    private static final List<String> HTTP = List.of("GET ", "POST", "PUT ", "HEAD", "HTTP", "OPTI", "DELE", "PATC", "PRI ");
    private static final int TLS_HANDSHAKE = 22;

    /** Describes a frame whose first byte was taken as its type. */
    static String describe(int type, Packet rest) {
        byte[] start = new byte[Math.min(4, rest.length() + 1)];
        start[0] = (byte) type;
        for (int index = 1; index < start.length; index++) {
            start[index] = rest.bytes().get(rest.offset() + index - 1);
        }
        if (HTTP.contains(new String(start, StandardCharsets.US_ASCII))) {
            return "looks like an HTTP request";
        }
        if (type == TLS_HANDSHAKE && start.length > 1 && start[1] == 3) {
            return "looks like TLS, which this node does not speak";
        }
        return "its first frame is of type " + type;
    }
}
