package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.member.ListedNodes;
import dev.tutti.balancer.internal.table.WebNode;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that do not announce themselves. */
class ListedNodesTest {

    @Test
    void haveARouteAnAddressAndAPath() {
        List<WebNode> nodes = ListedNodes.parse("web1=http://10.0.0.1:8080, web2=https://[::1]/shop/,");
        assertThat(nodes).extracting(WebNode::route).containsExactly("web1", "web2");
        assertThat(nodes).extracting(node -> node.content().url()).containsExactly("http://10.0.0.1:8080", "https://[::1]:443");
        assertThat(nodes).extracting(node -> node.content().contexts())
                .containsExactly(List.of(WebContext.of("")), List.of(WebContext.of("/shop")));
        assertThat(ListedNodes.parse(" ")).isEmpty();
    }

    @Test
    void areRefusedWithTheReason() {
        assertThatThrownBy(() -> ListedNodes.parse("http://10.0.0.1:8080"))
                .hasMessage("a node is route=http://host:port; 'http://10.0.0.1:8080' has no '=' behind a route");
        assertThatThrownBy(() -> ListedNodes.parse("a=http://x:1,a=http://y:2")).hasMessage("a route is listed once; 'a' is listed again");
        assertThatThrownBy(() -> ListedNodes.parse("a=ajp://x:1")).hasMessageContaining("'a=ajp://x:1': a scheme is http or https");
        try (Node node = Node.local().name("front").cluster("listed-nodes-test").start()) {
            Settings wrong = Balancer.defaults().with(BalancerSettings.NODES, "a=b");
            assertThatThrownBy(() -> Balancer.open(node, wrong))
                    .isInstanceOf(SettingException.class)
                    .hasMessageStartingWith("balancer.nodes: a node is route=http://host:port; 'a=b'");
        }
    }

    @Test
    void serveBesideThoseThatDo() throws Exception {
        try (Node front = Node.local().name("front").cluster("listed-nodes-test").start();
                Node member = Node.local().name("one").cluster("listed-nodes-test").start();
                WebServer listed = new WebServer("listed");
                WebServer announced = new WebServer("announced");
                Balancer balancer = Balancer.open(front, Balancer.defaults()
                        .with(BalancerSettings.PORT, 0)
                        .with(BalancerSettings.CONSOLE_PORT, 0)
                        .with(BalancerSettings.NODES, "listed=http://127.0.0.1:" + listed.port()));
                HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build()) {
            assertThat(balancer.routes()).containsExactly("listed");
            assertThat(body(client, balancer, "/shop")).isEqualTo("listed");
            announced.announce(member, WebContext.of("/shop")).open();
            Await.until("the other serves", () -> balancer.routes().size() == 2);
            assertThat(body(client, balancer, "/shop")).isEqualTo("announced");
            assertThat(body(client, balancer, "/other")).isEqualTo("listed");
        }
    }

    private static String body(HttpClient client, Balancer balancer, String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(balancer.url() + path)).build(), BodyHandlers.ofString()).body();
    }
}
