package dev.tutti.discovery.kubernetes;

import dev.tutti.discovery.http.HttpCalls;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Calls of the API server: a list of pods, and the changes since a list. The identity is read again for each call. */
final class PodApi implements AutoCloseable {

    /**
     * State of the pods at one time.
     *
     * @param version from which changes can be watched
     */
    record Listing(List<Pod> pods, String version) {}

    /** Time after which the server ends a watch; a connection that is dead is found out this way. */
    static final Duration WATCH_MAX = Duration.ofSeconds(60);

    private static final Duration LIST_MAX = Duration.ofSeconds(8);
    private static final Duration OPEN_MAX = Duration.ofSeconds(5);
    private static final int PAGE_PODS = 100;
    static final int PODS_MAX = 10_000;

    private final ServiceAccount account;
    private final String selector;
    private byte[] authorities = new byte[0];
    private @Nullable HttpCalls calls;

    PodApi(ServiceAccount account, String selector) {
        this.account = account;
        this.selector = selector;
    }

    /** Lists the pods, page by page. */
    Listing list() throws IOException {
        long deadlineNanos = System.nanoTime() + LIST_MAX.toNanos();
        List<Pod> pods = new ArrayList<>();
        Map<?, ?> metadata = Map.of();
        String next = "";
        do {
            Map<String, String> query = new TreeMap<>(Map.of("limit", String.valueOf(PAGE_PODS)));
            if (!next.isEmpty()) {
                query.put("continue", next);
            }
            Duration left = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
            Map<?, ?> page = Pod.map(get(uri(query), left.compareTo(OPEN_MAX) < 0 ? left : OPEN_MAX));
            if (page.get("items") instanceof List<?> items) {
                for (Object item : items) {
                    Pod pod = Pod.of(item);
                    if (pod != null) {
                        pods.add(pod);
                    }
                }
            }
            metadata = Pod.map(page.get("metadata"));
            next = metadata.get("continue") instanceof String token ? token : "";
        } while (!next.isEmpty() && pods.size() < PODS_MAX);
        return new Listing(pods, metadata.get("resourceVersion") instanceof String version ? version : "");
    }

    /** Watches for changes after {@code version}; the listener gets each as a text in JSON. */
    WebSocket watch(String version, WebSocket.Listener listener) throws IOException {
        URI uri = uri(Map.of(
                "watch",
                "true",
                "resourceVersion",
                version,
                "allowWatchBookmarks",
                "true",
                "timeoutSeconds",
                String.valueOf(WATCH_MAX.toSeconds())));
        URI socket = URI.create(uri.toString().replaceFirst("^http", "ws"));
        return calls(uri).open(socket, Map.of("Authorization", "Bearer " + account.token()), listener, OPEN_MAX);
    }

    private URI uri(Map<String, String> query) throws IOException {
        Map<String, String> all = new TreeMap<>(query);
        all.put("labelSelector", selector);
        return URI.create(account.api() + "/api/v1/namespaces/" + encode(account.podNamespace()) + "/pods?"
                + all.entrySet().stream()
                        .map(each -> each.getKey() + "=" + encode(each.getValue()))
                        .collect(Collectors.joining("&")));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private @Nullable Object get(URI uri, Duration timeout) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Authorization", "Bearer " + account.token())
                .header("Accept", "application/json")
                .build();
        HttpResponse<byte[]> answer = calls(uri).send(request, timeout);
        Object json;
        try {
            json = Json.parse(new String(answer.body(), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            json = null;
        }
        if (answer.statusCode() == 200 && json != null) {
            return json;
        }
        String message = Pod.map(json).get("message") instanceof String text ? text : "no JSON";
        String reason = switch (answer.statusCode()) {
            case 401 -> "the token in " + account.directory() + " is refused";
            case 403 ->
                "the service account may not list pods: " + message + "; it needs a Role with the verbs list and watch of pods";
            default -> "status " + answer.statusCode() + ": " + message;
        };
        throw new IOException("Kubernetes at " + HttpCalls.server(uri) + ", namespace " + account.podNamespace() + ": " + reason);
    }

    /** Returns the client that trusts the present authorities. */
    private HttpCalls calls(URI uri) throws IOException {
        byte[] present = uri.getScheme().equals("https") ? account.authorities() : new byte[0];
        HttpCalls open = calls;
        if (open != null && Arrays.equals(present, authorities)) {
            return open;
        }
        HttpCalls opened = present.length == 0
                ? new HttpCalls()
                : new HttpCalls(HttpCalls.trust(account.directory().resolve("ca.crt").toString(), present));
        if (open != null) {
            open.close();
        }
        authorities = present;
        calls = opened;
        return opened;
    }

    @Override
    public void close() {
        HttpCalls open = calls;
        if (open != null) {
            open.close();
        }
    }
}
