package dev.tutti.stomp;

import dev.tutti.core.Member;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What was sent to a destination.
 *
 * @param destination such as {@code /chat/lobby}
 * @param id the message-id that subscribers see, the same at all members
 * @param sender the member whose client, or who itself, has sent it
 * @param headers those of the sender, the first of each name
 * @param body as it was sent; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record StompMessage(String destination, String id, Member sender, Map<String, String> headers, byte[] body) {

    /** The body as UTF-8. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return id + " to " + destination + ", " + body.length + " bytes";
    }
}
