package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.Mark;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
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

    private final AbsenceGuard guard;
    private final Request request;
    private final Map<TuttiSession, Mark> sessions = new ConcurrentHashMap<>();
    private volatile boolean isRefused;

    RequestScope(AbsenceGuard guard, Request request) {
        this.guard = guard;
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

    /** Notes that the request uses a session from now on. Called before it reads anything of it. */
    void add(TuttiSession session) {
        markOf(session);
    }

    /** What is known of the session when the request begins to use it; null if that is replicated no more. */
    @Nullable Mark markOf(TuttiSession session) {
        Mark present = sessions.get(session);
        if (present != null) {
            return present;
        }
        Mark mark = session.newMark();
        if (mark == null) {
            return null;
        }
        Mark other = sessions.putIfAbsent(session, mark);
        return other == null ? mark : other;
    }

    /**
     * Sends what has changed, for all sessions first, and then waits until it is safe. If this node was away since the
     * request began to use one of them, and others have changed it meanwhile, the request fails.
     *
     * @param isLast whether the request will not change anything any more
     */
    void replicate(boolean isLast) {
        if (sessions.isEmpty() || isRefused) {
            return;
        }
        boolean isValid = guard.awaitContact();
        for (TuttiSession session : sessions.keySet()) {
            session.flush(isLast);
        }
        boolean isLost = false;
        for (Map.Entry<TuttiSession, Mark> entry : sessions.entrySet()) {
            isValid &= entry.getKey().confirm(entry.getValue());
            isLost |= entry.getKey().isLost();
        }
        if (isLost) {
            refuse("The application was stopped");
        } else if (!isValid) {
            refuseAfterAbsence();
        }
    }

    /** This node was away, and the session was changed elsewhere meanwhile, or nobody could say whether it was. */
    void refuseAfterAbsence() {
        guard.onRefused();
        refuse("This node was out of contact with the others. Try again");
    }

    /**
     * What the request has changed is lost. Its client must not take it for done: it gets status 503, or if a part of the
     * response has left, an end of the connection in the middle of it.
     */
    private void refuse(String reason) {
        Response response = request.getResponse();
        if (isRefused) {
            return;
        }
        isRefused = true;
        if (response.isCommitted()) {
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, null);
            return;
        }
        response.setHeader("Retry-After", "1");
        try {
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, reason);
        } catch (IOException e) {
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, e);
        }
    }

    /** Comes before the response ends; an asynchronous thread may have changed the session after the valve. */
    @Override
    public void onComplete(AsyncEvent event) {
        Session session = request.getSessionInternal(false);
        if (session instanceof TuttiSession used) {
            add(used);
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
