package dev.tutti.stomp.internal;

/**
 * What a SEND says.
 *
 * @param headers those that subscribers get, besides the server's own
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Content(Destination destination, Headers headers, byte[] body) {

    /** About what it takes. */
    int bytes() {
        return 128 + destination.text().length() + headers.length() + headers.count() * 16 + body.length;
    }
}
