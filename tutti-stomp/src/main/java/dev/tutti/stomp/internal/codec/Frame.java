package dev.tutti.stomp.internal.codec;

import org.jspecify.annotations.Nullable;

/**
 * A frame as read.
 *
 * @param command in capital letters
 * @param body empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Frame(String command, Headers headers, byte[] body) {

    public @Nullable String header(String name) {
        return headers.get(name);
    }

    /**
     * @throws FrameException that names the header if it is missing
     */
    public String required(String name) throws FrameException {
        String value = headers.get(name);
        if (value == null) {
            throw FrameException.malformed("a " + command + " frame needs the header '" + name + "'");
        }
        return value;
    }
}
