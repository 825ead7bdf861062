package dev.tutti.tomcat;

import dev.tutti.tomcat.request.CommitResponse;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.Session;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;

/**
 * Replicates the session changes of a request to the other nodes before the client has the response.
 *
 * <p>It is the first valve of the application, ahead of its authenticator, because a login changes the session too.
 */
final class ReplicationValve extends ValveBase {

    private static final String SCOPE_NOTE = "dev.tutti.tomcat.scope";

    private final TuttiManager manager;

    ReplicationValve(TuttiManager manager) {
        super(true);
        this.manager = manager;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        if (!manager.replication().isRunning()) {
            getNext().invoke(request, response);
            return;
        }
        RequestScope scope = scopeOf(request, response);
        RequestScope outer = scope.enter();
        manager.running().begin();
        try {
            if (request.getRequestedSessionId() != null && !manager.replication().guard().awaitContact()) {
                scope.refuseAfterAbsence();
                return;
            }
            if (request.getRequestedSessionId() != null && !manager.replication().isReachable(request.getRequestedSessionId(), scope)) {
                scope.refuseUnreachable();
                return;
            }
            takeOver(request);
            getNext().invoke(request, response);
        } finally {
            manager.running().end();
            RequestScope.leave(outer);
            boolean isAsync = request.isAsync();
            if (isAsync) {
                request.getAsyncContextInternal().addListener(scope);
            }
            scope.replicate(!isAsync);
        }
    }

    /** Returns the request's scope. A request that is dispatched again after asynchronous work keeps its scope. */
    private RequestScope scopeOf(Request request, Response response) {
        @Nullable Object present = request.getNote(SCOPE_NOTE);
        if (present instanceof RequestScope scope) {
            return scope;
        }
        RequestScope scope = new RequestScope(manager.replication().guard(), request);
        request.setNote(SCOPE_NOTE, scope);
        Runnable replicate = () -> scope.replicate(false);
        request.setAttribute(CommitResponse.REPLICATE_ATTRIBUTE, replicate);
        response.setResponse(new CommitResponse(response.getResponse(), replicate));
        return scope;
    }

    /** Changes the id of a session that another node served before, so that the balancer routes it to this one. */
    private void takeOver(Request request) {
        String route = manager.getJvmRoute();
        if (route == null || request.getRequestedSessionId() == null) {
            return;
        }
        Session session = request.getSessionInternal(false);
        if (session != null && !session.getIdInternal().endsWith("." + route)) {
            String id = manager.withRoute(session.getIdInternal());
            manager.changeSessionId(session, id);
            request.changeSessionId(id);
        }
    }
}
