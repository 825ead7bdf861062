package dev.tutti.grid.bridges.internal.door;

import java.nio.charset.StandardCharsets;

/**
 * Answer to a request.
 *
 * @param type content type
 * @param retrySeconds time after which the client may ask again; 0 if it is not to
 */
public record Reply(int status, String type, byte[] body, int retrySeconds) {

    /** Returns an answer of text. */
    public static Reply text(int status, String text) {
        return new Reply(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8), 0);
    }
}
