package dev.tutti.stomp.client;

import java.util.Map;

/**
 * A frame that was received.
 *
 * @param body body; empty if it was larger than a client takes
 * @param bodyBytes bytes of the body, also if they were skipped
 */
record Frame(String command, Map<String, String> headers, byte[] body, long bodyBytes) {

    /** Returns a header, or an empty text. */
    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    boolean isSkipped() {
        return body.length < bodyBytes;
    }
}
