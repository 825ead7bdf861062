package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
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
 * Sessions that one request uses. Replicates their changes before the response is committed, when the valve ends, and
 * when an asynchronous request completes.
 */
final class RequestScope implements AsyncListener {

    private static final ThreadLocal<@Nullable RequestScope> CURRENT = new ThreadLocal<>();

    private final AbsenceGuard guard;
    private final Request request;
    private final Map<TuttiSession, Mark> sessions = new ConcurrentHashMap<>();
    private volatile @Nullable SessionRecord found;
    private volatile boolean isRefused;

    RequestScope(AbsenceGuard guard, Request request) {
        this.guard = guard;
        this.request = request;
    }

    /** Returns the scope of the request that the calling thread serves; null if it serves none. */
    static @Nullable RequestScope current() {
        return CURRENT.get();
    }

    /** Makes this the thread's scope; returns the previous one, to be restored with {@link #leave}. */
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

    /** Notes the session that was found when the request began; null if there was none. */
    void onFound(@Nullable SessionRecord record) {
        found = record;
    }

    /** Returns the session that was found when the request began, as far as it has not ended since; null if there was none. */
    @Nullable SessionRecord found() {
        SessionRecord present = found;
        return present == null || present.state() == SessionRecord.State.ENDED ? null : present;
    }

    /** Notes that the request uses a session from now on. Called before it reads anything of it. */
    void add(TuttiSession session) {
        markOf(session);
    }

    /** Returns the session's mark from when the request began to use it; null if it is no longer replicated. */
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
     * Sends the changes of all sessions, and then waits until they are safe. If this node was away since the request
     * began to use one of them, and others have changed it meanwhile, the request fails.
     *
     * @param isLast whether the request will make no more changes
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

    /** Fails the request: this node was away, and the session was or may have been changed elsewhere meanwhile. */
    void refuseAfterAbsence() {
        guard.onRefused();
        refuse("This node was out of contact with the others. Try again");
    }

    /** Fails the request: its session is at other members, which have not answered. A new session would replace it. */
    void refuseUnreachable() {
        refuse("The session is at other nodes, which have not answered in time. Try again");
    }

    /**
     * Fails the request, whose changes are lost. The client must not take them for done: it gets status 503, or, if
     * part of the response has left, a connection that is closed in the middle of it.
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

    /** Replicates before the response ends: an asynchronous thread may have changed the session after the valve. */
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
