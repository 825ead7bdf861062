package dev.tutti.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A client of HTTP that keeps the cookie of its session, {@code JSESSIONID}. Thread-safe. */
public final class Browser {

    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private volatile String cookie = "";

    /** A server with an application. */
    public interface Site {

        /** Returns the address of one of its pages. */
        String url(String page);
    }

    /** Returns the id in the cookie, without the name of the worker; empty if there is none. */
    public String session() {
        return value().replaceAll("\\..*", "");
    }

    /** Returns the name of the worker in the cookie; empty if there is none. */
    public String worker() {
        return value().replaceAll("^[^.]*\\.?", "");
    }

    private String value() {
        return cookie.substring(cookie.indexOf('=') + 1);
    }

    /** Takes the cookie of another one. */
    public Browser useSessionOf(Browser other) {
        cookie = other.cookie;
        return this;
    }

    /** Takes a cookie that no server has given. */
    public Browser useSession(String id) {
        cookie = "JSESSIONID=" + id;
        return this;
    }

    /** Returns the page's text; its status if that is not 200. */
    public String get(Site site, String page) {
        return get(site.url(page));
    }

    /** Does the same as {@link #get(Site, String)}. */
    public String get(String url) {
        HttpResponse<String> response = getSoon(url).join();
        return response.statusCode() == 200 ? response.body() : "status " + response.statusCode();
    }

    public CompletableFuture<HttpResponse<String>> getSoon(String url) {
        return send(url, HttpResponse.BodyHandlers.ofString());
    }

    public <T> CompletableFuture<HttpResponse<T>> send(String url, HttpResponse.BodyHandler<T> handler) {
        return send(HttpRequest.newBuilder(URI.create(url)), handler);
    }

    /** Sends the fields of a form. */
    public HttpResponse<String> post(String url, String form) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        return send(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    private <T> CompletableFuture<HttpResponse<T>> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
        request.timeout(TIMEOUT);
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
