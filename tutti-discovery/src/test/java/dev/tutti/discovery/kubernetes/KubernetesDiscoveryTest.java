package dev.tutti.discovery.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against an API server that keeps objects and tells their changes. */
class KubernetesDiscoveryTest {

    private static final String PODS = "/api/v1/namespaces/shop/pods?labelSelector=app%3Dshop&limit=100";

    @TempDir
    private Path account;

    private final ApiServer server = new ApiServer(false);
    private KubernetesDiscovery source;

    @BeforeEach
    void mount() throws IOException {
        Files.writeString(account.resolve("token"), "t1\n");
        Files.writeString(account.resolve("namespace"), "shop\n");
        source = source(server.url());
    }

    @AfterEach
    void close() {
        source.close();
        server.close();
    }

    private KubernetesDiscovery source(String url) {
        KubernetesDiscovery opened = (KubernetesDiscovery) new KubernetesProvider()
                .open(settings()
                        .with(KubernetesProvider.SELECTOR, "app=shop")
                        .with(KubernetesProvider.ACCOUNT_DIRECTORY, account.toString())
                        .with(KubernetesProvider.SERVER, url))
                .orElseThrow();
        opened.start(new NodeEntry("shop", "anna", "10.0.0.1:7800"));
        return opened;
    }

    private static Settings settings() {
        return Settings.of(new KubernetesProvider().settings());
    }

    private static String running(String ip) {
        return "{\"phase\": \"Running\", \"podIP\": \"" + ip + "\"}";
    }

    private List<String> addresses() {
        try {
            return source.addresses();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAddresses(String... expected) {
        Await.until(() -> "addresses, now " + addresses(), () -> addresses().equals(List.of(expected)));
    }

    @Test
    void podsThatAreSelectedAndCanBeReachedAreListed() throws IOException {
        server.create("anna", "shop", running("10.0.0.1"));
        server.create("bert", "shop", running("fd01::2"));
        server.create("carl", "other", running("10.0.0.3"));
        server.create("dora", "shop", "{\"phase\": \"Pending\"}");
        server.create("emil", "shop", "{\"phase\": \"Succeeded\", \"podIP\": \"10.0.0.5\"}");
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800", "[fd01::2]:7800");
    }

    @Test
    void changesArriveByAWatch() throws Exception {
        server.create("anna", "shop", running("10.0.0.1"));
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
        server.create("bert", "shop", "{\"phase\": \"Pending\"}");
        server.change("bert", "shop", running("10.0.0.2"));
        awaitAddresses("10.0.0.1:7800", "10.0.0.2:7800");
        server.delete("anna");
        awaitAddresses("10.0.0.2:7800");
        int requests = server.answers().getRequestCount();
        for (int look = 0; look < 10; look++) {
            assertThat(source.addresses()).containsExactly("10.0.0.2:7800");
        }
        assertThat(server.answers().getRequestCount()).as("looks cost no request").isEqualTo(requests);
    }

    /** Answers the next list with one pod and a version from which the watch gets what {@code events} has. */
    private void expect(String ip, int version, String... events) {
        server.answers()
                .expect()
                .get()
                .withPath(PODS)
                .andReturn(200, """
                        {"kind": "PodList", "metadata": {"resourceVersion": "%d"}, "items": [{"metadata": {"name": "p"}, "status": %s}]}"""
                        .formatted(version, running(ip)))
                .once();
        expectWatch(version, events);
    }

    private void expectWatch(int version, String... events) {
        var open = server.answers()
                .expect()
                .get()
                .withPath("/api/v1/namespaces/shop/pods?allowWatchBookmarks=true&labelSelector=app%3Dshop&resourceVersion=" + version
                        + "&timeoutSeconds=60&watch=true")
                .andUpgradeToWebSocket()
                .open();
        for (String event : events) {
            open = open.waitFor(1).andEmit(event);
        }
        open.done().once();
    }

    private static String pod(String type, String ip, int version) {
        return """
                {"type": "%s", "object": {"metadata": {"name": "p", "resourceVersion": "%d"}, "status": %s}}"""
                .formatted(type, version, running(ip));
    }

    @Test
    void aVersionThatIsGoneMakesTheSourceListAgain() throws IOException {
        expect("10.0.0.1", 5, "{\"type\": \"ERROR\", \"object\": {\"kind\": \"Status\", \"code\": 410, \"reason\": \"Expired\"}}");
        expect("10.0.0.2", 9);
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
        awaitAddresses("10.0.0.2:7800");
        assertThat(source.drops().malformed()).isZero();
    }

    @Test
    void aWatchThatIsClosedGoesOnFromTheLastBookmark() throws IOException {
        expect("10.0.0.1", 5, "{\"type\": \"BOOKMARK\", \"object\": {\"kind\": \"Pod\", \"metadata\": {\"resourceVersion\": \"7\"}}}");
        expectWatch(7, pod("MODIFIED", "10.0.0.3", 8));
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
        awaitAddresses("10.0.0.3:7800");
    }

    @Test
    void eventsThatCannotBeReadAreCountedAndMakeTheSourceListAgain() throws IOException {
        expect("10.0.0.1", 5, "{\"type\": \"STRANGE\"}");
        expect("10.0.0.2", 6, "no JSON");
        expect("10.0.0.3", 7);
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
        awaitAddresses("10.0.0.3:7800");
        assertThat(source.drops().malformed()).isEqualTo(2);
    }

    @Test
    void aListMayHaveSeveralPages() throws IOException {
        server.answers()
                .expect()
                .get()
                .withPath(PODS)
                .andReturn(200, "{\"metadata\": {\"continue\": \"a/b\"}, \"items\": [{\"metadata\": {\"name\": \"a\"}, \"status\": "
                        + running("10.0.0.1") + "}]}")
                .once();
        server.answers()
                .expect()
                .get()
                .withPath("/api/v1/namespaces/shop/pods?continue=a%2Fb&labelSelector=app%3Dshop&limit=100")
                .andReturn(200, "{\"metadata\": {\"resourceVersion\": \"3\"}, \"items\": [{\"metadata\": {\"name\": \"b\"}, \"status\": "
                        + running("10.0.0.2") + "}]}")
                .once();
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800", "10.0.0.2:7800");
    }

    @Test
    void refusalsSayWhatHelps() {
        server.answers().expect().get().withPath(PODS).andReturn(401, "{\"message\": \"Unauthorized\"}").once();
        assertThatThrownBy(source::addresses)
                .isInstanceOf(IOException.class)
                .hasMessage("Kubernetes at " + server.url() + ", namespace shop: the token in " + account + " is refused");
        server.answers().expect().get().withPath(PODS).andReturn(403, "{\"message\": \"pods is forbidden\"}").once();
        assertThatThrownBy(source::addresses)
                .hasMessageContaining("the service account may not list pods: pods is forbidden; it needs a Role with the verbs list and"
                        + " watch of pods");
        server.answers().expect().get().withPath(PODS).andReturn(500, "nonsense").once();
        assertThatThrownBy(source::addresses).hasMessageContaining("status 500: no JSON");
        assertThat(addresses()).as("an outage ends").isEmpty();
    }

    @Test
    void theTokenIsReadAgain() throws Exception {
        assertThat(source.addresses()).isEmpty();
        assertThat(server.answers().takeRequest().getHeaders().header("Authorization")).isEqualTo("Bearer t1");
        assertThat(server.answers().takeRequest().getHeaders().header("Authorization")).as("the watch").isEqualTo("Bearer t1");
        Files.writeString(account.resolve("token"), "t2");
        try (KubernetesDiscovery other = source(server.url())) {
            assertThat(other.addresses()).isEmpty();
        }
        assertThat(server.answers().takeRequest().getHeaders().header("Authorization")).isEqualTo("Bearer t2");
    }

    @Test
    void aServerThatGoesAwayIsAnOutageAndEndsByItself() throws Exception {
        ApiServer first = new ApiServer(false);
        int port = first.port();
        first.create("anna", "shop", running("10.0.0.1"));
        try (KubernetesDiscovery other = source(first.url())) {
            assertThat(other.addresses()).containsExactly("10.0.0.1:7800");
            first.close();
            Await.until("the outage is seen", () -> {
                try {
                    other.addresses();
                    return false;
                } catch (IOException e) {
                    assertThat(e).hasMessage("nobody listens at http://127.0.0.1:" + port);
                    return true;
                }
            });
            try (ApiServer second = new ApiServer(false, port)) {
                second.create("bert", "shop", running("10.0.0.2"));
                assertThat(other.addresses()).containsExactly("10.0.0.2:7800");
            }
        }
    }

    // ------------------------------------------------------------------ identity

    @Test
    void theServerIsTheOneOfTheEnvironment() throws IOException {
        Map<String, String> variables = new HashMap<>();
        ServiceAccount pod = new ServiceAccount(account, "", "", variables::get);
        assertThatThrownBy(pod::api)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("Kubernetes: this process runs in no pod: KUBERNETES_SERVICE_HOST");
        variables.put("KUBERNETES_SERVICE_HOST", "10.96.0.1");
        variables.put("KUBERNETES_SERVICE_PORT", "443");
        assertThat(pod.api()).hasToString("https://10.96.0.1:443");
        variables.put("KUBERNETES_SERVICE_HOST", "fd01::1");
        assertThat(pod.api()).hasToString("https://[fd01::1]:443");
        assertThat(pod.podNamespace()).isEqualTo("shop");
        assertThat(new ServiceAccount(account, "", "other", variables::get).podNamespace()).isEqualTo("other");
    }

    @Test
    void filesThatAreMissingOrNoCertificatesAreNamed() throws IOException {
        try (KubernetesDiscovery other = source("https://127.0.0.1:" + server.port())) {
            assertThatThrownBy(other::addresses)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Kubernetes: " + account.resolve("ca.crt") + " is not there: the pod has no service account");
            Files.writeString(account.resolve("ca.crt"), "nonsense");
            assertThatThrownBy(other::addresses).hasMessageStartingWith(account.resolve("ca.crt") + " is no PEM file of authorities");
        }
        Files.delete(account.resolve("token"));
        assertThatThrownBy(source::addresses).hasMessageContaining(account.resolve("token") + " is not there");
    }

    @Test
    void settingsNameWhatIsWrong() {
        assertThat(new KubernetesProvider().open(settings())).isEmpty();
        for (String url : List.of("kubernetes", "https://h/path", "ftp://h", "https://user@h")) {
            assertThatThrownBy(() -> new KubernetesProvider()
                            .open(settings().with(KubernetesProvider.SELECTOR, "app=shop").with(KubernetesProvider.SERVER, url)))
                    .isInstanceOf(SettingException.class)
                    .hasMessage("discovery.kubernetes.server: '" + url + "' is no URL of a server; write https://kubernetes.default.svc");
        }
    }
}
