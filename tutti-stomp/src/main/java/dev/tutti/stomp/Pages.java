package dev.tutti.stomp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What browsers get at the server's port when they ask for a page rather than for a WebSocket. */
@FunctionalInterface
public interface Pages {

    /** A page, as a browser takes it. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Page(String contentType, byte[] body) {

        public Page {
            Objects.requireNonNull(contentType);
            Objects.requireNonNull(body);
        }
    }

    /**
     * The page at a place; null if there is none. Called on the threads that serve clients: it must not block.
     *
     * <p>Everybody who reaches the port may ask, and pages of other origins may read the answer, so that a client can go on at
     * another member: what is not for everybody has to ask for something in its query. The connection is closed afterwards,
     * after {@code stomp.connect-timeout} in any case.
     *
     * @param target path and query as the request has them, such as {@code /board?key=1}
     */
    @Nullable Page page(String target);
}
