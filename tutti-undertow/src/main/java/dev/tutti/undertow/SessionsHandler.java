package dev.tutti.undertow;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.SessionConfig;
import java.util.function.Function;

/**
 * Finds the session of a request before the application does, on a thread that may wait, and makes the response wait for its changes. What
 * runs later on I/O threads then has the session at once.
 */
final class SessionsHandler implements HttpHandler {

    private final ReplicatedManager manager;
    private final Function<HttpServerExchange, SessionConfig> config;
    private final HttpHandler next;

    SessionsHandler(ReplicatedManager manager, Function<HttpServerExchange, SessionConfig> config, HttpHandler next) {
        this.manager = manager;
        this.config = config;
        this.next = next;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        if (IoThreads.isCurrent()) {
            exchange.dispatch(this);
            return;
        }
        manager.getSession(exchange, config.apply(exchange));
        next.handleRequest(exchange);
    }
}
