package dev.tutti.stomp;

import dev.tutti.core.Member;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A message that was sent to a destination.
 *
 * @param destination such as {@code /chat/lobby}
 * @param id the message-id that subscribers see, the same at all members
 * @param sender the member whose client sent it, or that sent it itself
 * @param headers as sent, the first of each name
 * @param body as sent; must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record StompMessage(String destination, String id, Member sender, Map<String, String> headers, byte[] body) {

    /** Returns the body, decoded as UTF-8. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return id + " to " + destination + ", " + body.length + " bytes";
    }
}
