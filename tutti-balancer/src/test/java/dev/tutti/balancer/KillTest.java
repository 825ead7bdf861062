package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A web server is killed while clients ask. */
@Tag("slow")
class KillTest {

    private static final int CLIENTS = 200;

    @Test
    void failsNoRequestThatIsIdempotentAndFewOthers() throws Exception {
        HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
        try (Node node = Node.tcp(0).name("balancer").cluster("kill-test").start();
                Balancer balancer = Balancer.open(
                        node, Balancer.defaults().with(BalancerSettings.PORT, 0).with(BalancerSettings.CONSOLE_PORT, 0));
                WebProcess victim = WebProcess.start("victim", "kill-test", node.address());
                WebProcess _ = WebProcess.start("survivor", "kill-test", node.address())) {
            Await.until("both are there", () -> balancer.routes().size() == 2);
            AtomicBoolean isOver = new AtomicBoolean();
            AtomicInteger done = new AtomicInteger();
            AtomicInteger getsFailed = new AtomicInteger();
            AtomicInteger postsFailed = new AtomicInteger();
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                boolean isPost = i % 2 == 0;
                // Sessions of both nodes: those of the victim move.
                String cookie = "JSESSIONID=" + i + (i % 4 < 2 ? ".victim" : ".survivor");
                HttpRequest.Builder request =
                        HttpRequest.newBuilder(URI.create(balancer.url() + "/shop")).header("Cookie", cookie);
                HttpRequest asked = (isPost ? request.POST(BodyPublishers.ofString("x")) : request.GET()).build();
                clients.add(CompletableFuture.runAsync(
                        () -> {
                            while (!isOver.get()) {
                                int status = status(client, asked);
                                done.incrementAndGet();
                                if (status != 200) {
                                    (isPost ? postsFailed : getsFailed).incrementAndGet();
                                }
                            }
                        },
                        task -> Thread.ofVirtual().start(task)));
            }
            Await.until("requests are served", () -> done.get() > 2_000);
            victim.kill();
            Await.until("the victim is gone", () -> balancer.routes().equals(List.of("survivor")));
            int mark = done.get();
            Await.until("requests are served without it", () -> done.get() > mark + 2_000);
            isOver.set(true);
            for (CompletableFuture<Void> each : clients) {
                each.get();
            }
            assertThat(getsFailed.get()).isZero();
            // Each client whose session was at the victim, and that posts, can have had one request in flight there.
            assertThat(postsFailed.get()).isLessThanOrEqualTo(CLIENTS / 4);
        } finally {
            client.close();
        }
    }

    private static int status(HttpClient client, HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.ofString()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
