package dev.tutti.jetty;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A client that keeps its session cookie. */
final class Browser {

    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private volatile String cookie = "";

    /** Returns the id in the cookie, without the name of the worker; empty if there is none. */
    String session() {
        return cookie.isEmpty() ? "" : cookie.substring(cookie.indexOf('=') + 1).replaceAll("\\..*", "");
    }

    Browser useSessionOf(Browser other) {
        cookie = other.cookie;
        return this;
    }

    /** Returns the page's text; its status if that is not 200. */
    String get(JettyNode node, String page) {
        return get(node.url(page));
    }

    String get(String url) {
        HttpResponse<String> response = getSoon(url).join();
        return response.statusCode() == 200 ? response.body() : "status " + response.statusCode();
    }

    CompletableFuture<HttpResponse<String>> getSoon(String url) {
        return send(url, HttpResponse.BodyHandlers.ofString());
    }

    <T> CompletableFuture<HttpResponse<T>> send(String url, HttpResponse.BodyHandler<T> handler) {
        return send(HttpRequest.newBuilder(URI.create(url)), handler);
    }

    HttpResponse<String> post(String url, String form) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        return send(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    private <T> CompletableFuture<HttpResponse<T>> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
        request.timeout(Duration.ofSeconds(30));
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        return HTTP.sendAsync(request.build(), handler).thenApply(response -> {
            for (String set : response.headers().allValues("Set-Cookie")) {
                if (set.startsWith("JSESSIONID=")) {
                    cookie = set.split(";", 2)[0];
                }
            }
            return response;
        });
    }
}
