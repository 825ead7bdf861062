package dev.tutti.study.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StudyBalancerTest {

    private final List<HttpServer> servers = new ArrayList<>();
    private final List<String> listed = new ArrayList<>();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Node node = Node.tcp(0).name("balancer").start();

    @BeforeEach
    void startNodes() throws Exception {
        for (String name : List.of("node1", "node2", "node3")) {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            server.start();
            servers.add(server);
            listed.add(name + "=http://127.0.0.1:" + server.getAddress().getPort());
        }
    }

    @AfterEach
    void stopAll() {
        servers.forEach(server -> server.stop(0));
        http.close();
        node.close();
    }

    @Test
    void stickyFollowsTheRouteOfTheSession() throws Exception {
        try (Balancer balancer = Balancer.open(node, StudyBalancer.settings(0, true, listed))) {
            assertThat(ask(balancer, "", "abc.node2", 6)).containsExactly("node2");
            assertThat(ask(balancer, ";jsessionid=abc.node3", "", 6)).containsExactly("node3");
            servers.get(1).stop(0);
            assertThat(ask(balancer, "", "abc.node2", 6)).isNotEmpty().isSubsetOf("node1", "node3");
        }
    }

    @Test
    void freeUsesAllNodesWhateverTheSession() throws Exception {
        try (Balancer balancer = Balancer.open(node, StudyBalancer.settings(0, false, listed))) {
            assertThat(ask(balancer, "", "abc.node2", 6)).containsExactly("node1", "node2", "node3");
        }
    }

    private Set<String> ask(Balancer balancer, String inPath, String session, int times) throws Exception {
        Set<String> answers = new TreeSet<>();
        for (int time = 0; time < times; time++) {
            // Unlike a POST, a GET goes to another node when its connection turns out to have ended with its server.
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(balancer.url() + "/study/app" + inPath));
            if (!session.isEmpty()) {
                request.header("Cookie", "JSESSIONID=" + session);
            }
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            answers.add(response.body());
        }
        return answers;
    }
}
