package dev.tutti.discovery.kubernetes;

import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;

/** An API server of Kubernetes on loopback that keeps objects and tells their changes, with answers that a test sets. */
public final class ApiServer implements AutoCloseable {

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final KubernetesMockServer server;

    public ApiServer(boolean isTls) {
        this(isTls, 0);
    }

    public ApiServer(boolean isTls, int port) {
        Map<ServerRequest, Queue<ServerResponse>> expected = new ConcurrentHashMap<>();
        server = new KubernetesMockServer(
                new Context(), new MockWebServer(), expected, new KubernetesMixedDispatcher(expected), isTls);
        server.init(InetAddress.getLoopbackAddress(), port);
    }

    KubernetesMockServer answers() {
        return server;
    }

    public int port() {
        return server.getPort();
    }

    /** Returns the URL of the server. */
    public String url() {
        return "http://127.0.0.1:" + server.getPort();
    }

    /** Creates a pod in namespace {@code shop}. */
    public void create(String name, String label, String status) throws IOException {
        send("POST", "", """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "shop", "labels": {"app": "%s"}},
                 "status": %s}""".formatted(name, label, status));
    }

    void change(String name, String label, String status) throws IOException {
        send("PUT", "/" + name, """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "shop", "labels": {"app": "%s"}},
                 "status": %s}""".formatted(name, label, status));
    }

    void delete(String name) throws IOException {
        send("DELETE", "/" + name, "");
    }

    private void send(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/api/v1/namespaces/shop/pods" + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() >= 300) {
                throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        try {
            server.destroy();
        } catch (IllegalStateException e) {
            // It waits ten seconds for the end of each watch, one after the other, and gives up then. It does not listen any more.
            System.out.println(e.getMessage());
        }
    }
}
