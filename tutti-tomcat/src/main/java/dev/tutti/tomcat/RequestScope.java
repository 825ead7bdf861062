package dev.tutti.tomcat;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.catalina.Session;
import org.apache.catalina.connector.Request;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that one request uses, and the moments at which their changes have to be with the other nodes: before the
 * response is committed, when the valve ends, and when an asynchronous request completes.
 */
final class RequestScope implements AsyncListener {

    private static final ThreadLocal<@Nullable RequestScope> CURRENT = new ThreadLocal<>();

    private final Request request;
    private final Set<TuttiSession> sessions = ConcurrentHashMap.newKeySet();

    RequestScope(Request request) {
        this.request = request;
    }

    /** The scope of the request that the calling thread serves, if it does. */
    static @Nullable RequestScope current() {
        return CURRENT.get();
    }

    /** Makes this the thread's scope; returns the one that was, to be restored with {@link #leave}. */
    @Nullable RequestScope enter() {
        RequestScope outer = CURRENT.get();
        CURRENT.set(this);
        return outer;
    }

    static void leave(@Nullable RequestScope outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    void add(TuttiSession session) {
        sessions.add(session);
    }

    /**
     * Sends what has changed, for all sessions first, and then waits until it is safe.
     *
     * @param isLast whether the request will not change anything any more
     */
    void replicate(boolean isLast) {
        for (TuttiSession session : sessions) {
            session.flush(isLast);
        }
        for (TuttiSession session : sessions) {
            session.awaitSafe();
        }
    }

    /** Comes before the response ends; an asynchronous thread may have changed the session after the valve. */
    @Override
    public void onComplete(AsyncEvent event) {
        Session session = request.getSessionInternal(false);
        if (session instanceof TuttiSession used) {
            sessions.add(used);
        }
        replicate(true);
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        replicate(false);
    }

    @Override
    public void onError(AsyncEvent event) {
        replicate(false);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
