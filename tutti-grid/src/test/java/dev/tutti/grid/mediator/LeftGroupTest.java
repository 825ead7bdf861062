package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.Node;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A mediator whose member has left the group of the grid, as one does that is excluded, or whose node has stopped. */
@Order(5)
class LeftGroupTest {

    private static HttpResponse<String> ask(Mediator mediator, String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(mediator.url() + path)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static void stop(Node node) {
        node.close();
    }

    @Test
    void isNotReadyAndSendsItsClientsToAnother() throws Exception {
        try (Node one = Node.tcp(0).name("n1").start();
                Node two = Node.tcp(0).name("n2").seeds(one.address().toString()).start();
                GridMember lost = GridMember.on(one).timeout(Duration.ofSeconds(30)).join();
                GridMember other = GridMember.on(two).timeout(Duration.ofSeconds(30)).join();
                Mediator first = Mediator.on(lost).port(0).open();
                Mediator second = Mediator.on(other).port(0).open();
                GridClient client = GridClient.of(first.url(), second.url()).inOrder().open()) {
            client.produce(ProducerOptions.of("p", "a/#"));
            Await.until("it is registered", () -> other.find(Query.PRODUCERS).items().stream().anyMatch(each -> each.node().equals("n1")));
            assertThat(lost.status()).containsEntry("joined", 1L);
            assertThat(ask(first, "/health/ready").statusCode()).isEqualTo(200);
            stop(one);
            Await.until("it says so", () -> lost.status().get("joined") == 0);
            HttpResponse<String> ready = ask(first, "/health/ready");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).contains("has left");
            assertThat(ask(first, "/health/live").statusCode()).isEqualTo(200);
            assertThat(ask(first, "/v1/find").statusCode()).isEqualTo(503);
            assertThat(ask(first, "/metrics").body()).contains("tutti_grid_joined 0");
            assertThatIllegalStateException().isThrownBy(() -> lost.produce(ProducerOptions.of("p", "a"))).withMessageContaining("has left");
            assertThatIllegalStateException().isThrownBy(() -> lost.find(Query.ALL)).withMessageContaining("has left");
            Await.until("the client is at the other", () -> other.find(Query.PRODUCERS).items().stream()
                    .anyMatch(each -> each.node().equals("n2") && each.registration() == 2));
        }
    }
}
