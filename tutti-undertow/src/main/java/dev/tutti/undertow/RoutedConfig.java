package dev.tutti.undertow;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.SessionConfig;
import io.undertow.util.AttachmentKey;
import org.jspecify.annotations.Nullable;

/** Ids in cookies and paths with the name of this node after them, which a sticky balancer reads: {@code ID.ROUTE}. */
final class RoutedConfig implements SessionConfig {

    private static final AttachmentKey<RoutedConfig> MOVED = AttachmentKey.create(RoutedConfig.class);

    private final SessionConfig config;
    private final String suffix;

    private RoutedConfig(SessionConfig config, String suffix) {
        this.config = config;
        this.suffix = suffix;
    }

    /** @param route name of this node; empty for ids alone */
    static SessionConfig around(SessionConfig config, String route) {
        return route.isEmpty() ? config : new RoutedConfig(config, "." + route);
    }

    /** Names this node in the response if the request came with the name of another one. */
    static void takeOver(HttpServerExchange exchange, String id) {
        RoutedConfig moved = exchange.removeAttachment(MOVED);
        if (moved != null && !exchange.isResponseStarted()) {
            moved.setSessionId(exchange, id);
        }
    }

    @Override
    public void setSessionId(HttpServerExchange exchange, String sessionId) {
        config.setSessionId(exchange, sessionId + suffix);
    }

    @Override
    public void clearSession(HttpServerExchange exchange, String sessionId) {
        config.clearSession(exchange, sessionId + suffix);
    }

    @Override
    public @Nullable String findSessionId(HttpServerExchange exchange) {
        String found = config.findSessionId(exchange);
        int end = found == null ? -1 : found.indexOf('.');
        if (found != null && !found.endsWith(suffix)) {
            exchange.putAttachment(MOVED, this);
        }
        return found == null || end < 0 ? found : found.substring(0, end);
    }

    @Override
    public SessionCookieSource sessionCookieSource(HttpServerExchange exchange) {
        return config.sessionCookieSource(exchange);
    }

    @Override
    public String rewriteUrl(String originalUrl, String sessionId) {
        return config.rewriteUrl(originalUrl, sessionId + suffix);
    }
}
