package dev.tutti.stomp.client;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A message that a subscription has got.
 *
 * @param destination destination that it was sent to
 * @param headers all headers, by name
 * @param body body; not copied
 */
public record StompMessage(String destination, Map<String, String> headers, byte[] body) {

    public StompMessage {
        headers = Map.copyOf(headers);
    }

    /** Returns the body as UTF-8. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
