package dev.tutti.study.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import io.undertow.Undertow;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StudyBalancerTest {

    private final List<Undertow> servers = new ArrayList<>();
    private final List<String> nodes = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void startNodes() {
        for (String name : List.of("node1", "node2", "node3")) {
            Undertow node = Undertow.builder()
                    .addHttpListener(0, "127.0.0.1")
                    .setHandler(exchange -> exchange.getResponseSender().send(name))
                    .build();
            node.start();
            servers.add(node);
            nodes.add(name + "=http://127.0.0.1:" + port(node));
        }
    }

    @AfterEach
    void stopAll() {
        servers.forEach(Undertow::stop);
        http.close();
    }

    @Test
    void stickyFollowsTheRouteInTheCookie() throws Exception {
        URI address = balancer(true);
        assertThat(ask(address, "abc.node2", 6)).containsExactly("node2");
        assertThat(ask(address, "abc.node3", 6)).containsExactly("node3");
    }

    @Test
    void stickyFollowsTheRouteInThePath() throws Exception {
        assertThat(ask(URI.create(balancer(true) + ";jsessionid=abc.node2"), "", 6)).containsExactly("node2");
    }

    @Test
    void stickyGoesToAnotherNodeWhenItsOwnRefusesConnections() throws Exception {
        URI address = balancer(true);
        servers.get(1).stop();
        assertThat(ask(address, "abc.node2", 6)).isNotEmpty().isSubsetOf("node1", "node3");
    }

    @Test
    void freeUsesAllNodesWhateverTheSession() throws Exception {
        assertThat(ask(balancer(false), "abc.node2", 6)).containsExactly("node1", "node2", "node3");
    }

    private URI balancer(boolean isSticky) {
        Undertow balancer = StudyBalancer.start(0, isSticky, nodes);
        servers.add(balancer);
        return URI.create("http://127.0.0.1:" + port(balancer) + "/study/app");
    }

    private Set<String> ask(URI address, String session, int times) throws Exception {
        Set<String> answers = new TreeSet<>();
        for (int time = 0; time < times; time++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(address).POST(HttpRequest.BodyPublishers.noBody());
            if (!session.isEmpty()) {
                request.header("Cookie", "JSESSIONID=" + session);
            }
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            answers.add(response.body());
        }
        return answers;
    }

    private static int port(Undertow server) {
        return ((InetSocketAddress) server.getListenerInfo().getFirst().getAddress()).getPort();
    }
}
