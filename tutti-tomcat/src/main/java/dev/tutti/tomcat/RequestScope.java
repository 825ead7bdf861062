package dev.tutti.tomcat;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.catalina.Session;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.coyote.ActionCode;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that one request uses, and the moments at which their changes have to be with the other nodes: before the
 * response is committed, when the valve ends, and when an asynchronous request completes.
 */
final class RequestScope implements AsyncListener {

    private static final ThreadLocal<@Nullable RequestScope> CURRENT = new ThreadLocal<>();

    private final Request request;
    private final Set<TuttiSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean isRefused;

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
        boolean isLost = false;
        for (TuttiSession session : sessions) {
            session.awaitSafe();
            isLost |= session.isLost();
        }
        if (isLost) {
            refuse();
        }
    }

    /**
     * The application was stopped while the request ran, and what it has changed is lost. Its client must not take it for done: it
     * gets status 503, or if a part of the response has left, an end of the connection in the middle of it.
     */
    private void refuse() {
        Response response = request.getResponse();
        if (isRefused) {
            return;
        }
        isRefused = true;
        if (response.isCommitted()) {
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, null);
            return;
        }
        try {
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "The application was stopped");
        } catch (IOException e) {
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, e);
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
