package dev.tutti.study.app;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** The sessions of the application. Thread-safe. */
public interface Visits {

    /** Returns the session of a request: the one that it names if there is such, otherwise a new one. */
    Visit open(HttpServletRequest request, Store.Work work);

    /** The session of one request. For one thread. */
    interface Visit {

        /** Returns the id, as clients send it. */
        String id();

        /** Returns the value; null if the session is new. */
        byte @Nullable [] state();

        void save(byte[] state);
    }
}
