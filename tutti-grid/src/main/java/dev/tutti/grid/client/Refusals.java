package dev.tutti.grid.client;

import java.net.http.HttpResponse;
import java.net.http.WebSocketHandshakeException;
import org.jspecify.annotations.Nullable;

/** Reasons for which no connection with a mediator came about, for people. */
final class Refusals {

    private static final int UNAUTHORIZED = 401;
    private static final int PROXY_UNAUTHORIZED = 407;

    private Refusals() {}

    static String reason(Throwable failure) {
        if (failure instanceof WebSocketHandshakeException refused) {
            HttpResponse<?> response = refused.getResponse();
            if (response != null) {
                return reason(response.statusCode(), response.body());
            }
        }
        StringBuilder text = new StringBuilder(failure.toString());
        // The reason of TLS is a cause of a cause.
        Throwable cause = failure.getCause();
        for (int depth = 0; cause != null && depth < 5; depth++) {
            if (cause.getMessage() != null && text.indexOf(cause.getMessage()) < 0) {
                text.append(": ").append(cause.getMessage());
            }
            cause = cause.getCause();
        }
        return text.toString();
    }

    private static String reason(int status, @Nullable Object body) {
        String text = body instanceof String said && !said.isBlank() ? ": " + said.strip() : "";
        return switch (status) {
            case UNAUTHORIZED -> "the mediator asks for another token, or a certificate (status 401)" + text;
            case PROXY_UNAUTHORIZED -> "the proxy asks for a user and a password (status 407): set proxyCredentials, and start the JVM with"
                    + " -Djdk.http.auth.tunneling.disabledSchemes= if the proxy asks by Basic authentication";
            default -> "the answer has status " + status + text;
        };
    }
}
