package shop;

import dev.tutti.undertow.TuttiSessions;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.Session;
import io.undertow.server.session.SessionCookieConfig;
import io.undertow.util.Sessions;

/** Counts the visits of a user. */
public final class Visits {

    /** Returns the application's handler, for {@code Undertow.builder().setHandler(…)}. */
    public static HttpHandler handler(TuttiSessions sessions) {
        return sessions.handler("/", new SessionCookieConfig(), Visits::count);
    }

    private static void count(HttpServerExchange exchange) {
        Session session = Sessions.getOrCreateSession(exchange);
        int visits = session.getAttribute("visits") instanceof Integer before ? before + 1 : 1;
        session.setAttribute("visits", visits);
        exchange.getResponseSender().send("visit " + visits);
    }
}
