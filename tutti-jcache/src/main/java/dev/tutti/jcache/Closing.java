package dev.tutti.jcache;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what the application has given to a cache. */
final class Closing {

    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private Closing() {}

    /** Closes {@code part} if it can be closed; a failure is logged, as the cache is closed in any case. */
    static void close(@Nullable Object part, String what, String cache) {
        if (part instanceof Closeable closeable) {
            try {
                closeable.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("cache {}: its {} could not be closed: {}", cache, what, e.toString());
            }
        }
    }
}
