package dev.tutti.stomp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Source of the pages that the server's port returns for HTTP requests that are no WebSocket handshakes. */
@FunctionalInterface
public interface Pages {

    /** A page, as a browser receives it. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Page(String contentType, byte[] body) {

        public Page {
            Objects.requireNonNull(contentType);
            Objects.requireNonNull(body);
        }
    }

    /**
     * Returns the page for a target, or null if there is none. Called on the threads that serve clients: must not
     * block.
     *
     * <p>Everybody who reaches the port may ask, and pages of other origins may read the answer, so that a client can
     * go on at another member: a page that is not public has to require a secret in its query. The connection is closed
     * afterwards, after {@code stomp.connect-timeout} at the latest.
     *
     * @param target path and query as the request has them, such as {@code /board?key=1}
     */
    @Nullable Page page(String target);
}
