package dev.tutti.tomcat;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A client that keeps its session cookie. */
final class Browser {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private volatile String cookie = "";
    private volatile String authorization = "";

    /** Returns the id in the cookie; empty if there is none. */
    String session() {
        return cookie.isEmpty() ? "" : cookie.substring(cookie.indexOf('=') + 1);
    }

    Browser useSession(String id) {
        cookie = "JSESSIONID=" + id;
        return this;
    }

    Browser useAuthorization(String value) {
        authorization = value;
        return this;
    }

    /** Returns the page's text; its status if that is not 200. */
    String get(TomcatNode node, String page) {
        HttpResponse<String> response = fetch(node, page);
        return response.statusCode() == 200 ? response.body() : "status " + response.statusCode();
    }

    HttpResponse<String> fetch(TomcatNode node, String page) {
        return fetchSoon(node, page).join();
    }

    CompletableFuture<HttpResponse<String>> fetchSoon(TomcatNode node, String page) {
        return send(HttpRequest.newBuilder(uri(node, page)).timeout(Duration.ofSeconds(30)));
    }

    HttpResponse<String> post(TomcatNode node, String page, String... namesAndValues) {
        StringBuilder form = new StringBuilder();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            form.append(form.isEmpty() ? "" : "&")
                    .append(namesAndValues[index])
                    .append('=')
                    .append(URLEncoder.encode(namesAndValues[index + 1], StandardCharsets.UTF_8));
        }
        return send(HttpRequest.newBuilder(uri(node, page))
                        .timeout(Duration.ofSeconds(30))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form.toString())))
                .join();
    }

    private static URI uri(TomcatNode node, String page) {
        return URI.create("http://127.0.0.1:" + node.port() + page);
    }

    private CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder builder) {
        if (!cookie.isEmpty()) {
            builder.header("Cookie", cookie);
        }
        if (!authorization.isEmpty()) {
            builder.header("Authorization", authorization);
        }
        return HTTP.sendAsync(builder.build(), HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
            for (String set : response.headers().allValues("Set-Cookie")) {
                if (set.startsWith("JSESSIONID=")) {
                    cookie = set.split(";", 2)[0];
                }
            }
            return response;
        });
    }

    /** Returns whether a request failed because its node was going down. */
    static boolean isConnectionFailure(RuntimeException failure) {
        return failure instanceof CompletionException && failure.getCause() instanceof IOException;
    }
}
