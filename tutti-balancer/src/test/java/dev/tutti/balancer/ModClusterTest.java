package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands of mod_cluster, as its listener sends them. */
class ModClusterTest {

    private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    private Node node;
    private Balancer balancer;
    private WebServer web;
    private int port;

    @BeforeEach
    void open() throws IOException {
        port = Ports.lasting();
        node = Node.local().name("balancer").cluster("mod-cluster-test").start();
        Settings settings = Balancer.defaults()
                .with(BalancerSettings.PORT, 0)
                .with(BalancerSettings.CONSOLE_PORT, 0)
                .with(BalancerSettings.LEASE, Duration.ofSeconds(2))
                .with(BalancerSettings.MOD_CLUSTER_PORT, port);
        balancer = Balancer.open(node, settings);
        web = new WebServer("web1");
    }

    @AfterEach
    void close() {
        web.close();
        balancer.close();
        node.close();
        client.close();
    }

    @Test
    void servesContextsAsTheyComeAndGo() throws Exception {
        assertThat(command("CONFIG", "/", config("web1")).statusCode()).isEqualTo(200);
        assertThat(get("/shop").statusCode()).isEqualTo(404);
        assertThat(command("ENABLE-APP", "/", "JVMRoute=web1&Alias=localhost%2Cdefault-host&Context=%2Fshop%2C%2Fother").statusCode())
                .isEqualTo(200);
        assertThat(get("/shop").body()).isEqualTo("web1");
        assertThat(get("/other").body()).isEqualTo("web1");
        assertThat(command("STATUS", "/", "JVMRoute=web1&Load=80").body()).isEqualTo("Type=STATUS-RSP&JVMRoute=web1&State=OK&id=1");
        assertThat(command("DISABLE-APP", "/", "JVMRoute=web1&Context=%2Fshop").statusCode()).isEqualTo(200);
        assertThat(get("/shop").statusCode()).isEqualTo(503);
        HttpRequest sticky = HttpRequest.newBuilder(URI.create(balancer.url() + "/shop")).header("Cookie", "JSESSIONID=1.web1").build();
        assertThat(client.send(sticky, BodyHandlers.ofString()).body()).isEqualTo("web1");
        assertThat(command("STOP-APP", "/", "JVMRoute=web1&Context=%2Fshop").body()).contains("Type=STOP-APP-RSP", "&Requests=0");
        assertThat(client.send(sticky, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
        assertThat(command("REMOVE-APP", "/", "JVMRoute=web1&Context=%2Fshop").statusCode()).isEqualTo(200);
        assertThat(get("/shop").statusCode()).isEqualTo(404);
        assertThat(command("INFO", "/", "").body()).contains("Name: web1", "Load: 80", "Context: /other, Status: ENABLED");
        assertThat(command("DUMP", "/", "").body()).contains("Name: web1");
        assertThat(command("PING", "/", "").body()).isEqualTo("Type=PING-RSP&State=OK&id=1");
        assertThat(command("REMOVE-APP", "/*", "JVMRoute=web1").statusCode()).isEqualTo(200);
        assertThat(balancer.routes()).isEmpty();
    }

    @Test
    void answersErrorsAsAListenerUnderstandsThem() throws Exception {
        assertFault(command("STATUS", "/", "JVMRoute=web1&Load=80"), "MEM", "send CONFIG first");
        assertFault(command("CONFIG", "/", "Host=127.0.0.1&Port=1"), "SYNTAX", "no JVMRoute");
        assertFault(command("CONFIG", "/", "JVMRoute=w&Host=127.0.0.1&Port=8009&Type=ajp"), "SYNTAX", "Type is ajp");
        assertFault(command("CONFIG", "/", "JVMRoute=w&Host=127.0.0.1&Port=99999&Type=http"), "SYNTAX", "99999");
        assertFault(command("CONFIG", "/", "JVMRoute=w&Host=a/../b&Port=80&Type=http"), "SYNTAX", "a/../b");
        assertFault(command("CONFIG", "/", "JVMRoute=%zz"), "SYNTAX", "not encoded");
        command("CONFIG", "/", config("web1"));
        assertFault(command("ENABLE-APP", "/", "JVMRoute=web1&Context=/a/../b"), "SYNTAX", "/a/../b");
        assertFault(command("ENABLE-APP", "/", "JVMRoute=web1"), "SYNTAX", "no Context");
        assertFault(command("WHATEVER", "/", ""), "SYNTAX", "no command");
    }

    @Test
    void forgetsANodeWhoseLeaseEnds() throws Exception {
        command("CONFIG", "/", config("web1"));
        assertThat(balancer.routes()).containsExactly("web1");
        Await.until("the lease ends", () -> balancer.routes().isEmpty());
    }

    @Test
    void doesNotTakeTheRouteOfAMember() throws Exception {
        try (Node other = Node.local().name("web").cluster("mod-cluster-test").start();
                Announcer announcer = web.announce(other).open()) {
            Await.until("the member counts", () -> balancer.routes().contains("web1"));
            assertThat(announcer.refusal()).isNull();
            assertFault(command("CONFIG", "/", config("web1")), "MEM", "is that of member");
        }
    }

    private String config(String route) {
        return "JVMRoute=" + route + "&Host=127.0.0.1&Maxattempts=1&Port=" + web.port()
                + "&StickySessionForce=No&Type=http&ping=10&Balancer=mycluster&Domain=north";
    }

    private static void assertFault(HttpResponse<String> response, String type, String message) {
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.headers().firstValue("Version")).contains("0.2.1");
        assertThat(response.headers().firstValue("Type")).contains(type);
        assertThat(response.headers().firstValue("Mess").orElseThrow()).contains(message);
    }

    private HttpResponse<String> command(String method, String target, String arguments) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .method(method, BodyPublishers.ofString(arguments))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(balancer.url() + path)).build(), BodyHandlers.ofString());
    }
}
