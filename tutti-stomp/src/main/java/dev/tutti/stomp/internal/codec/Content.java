package dev.tutti.stomp.internal.codec;

/**
 * Content of a SEND.
 *
 * @param headers those that subscribers receive, besides the server's own
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Content(Destination destination, Headers headers, byte[] body) {

    /** Returns an estimate of the memory it takes. */
    public int bytes() {
        return 128 + destination.text().length() + headers.length() + headers.count() * 16 + body.length;
    }
}
