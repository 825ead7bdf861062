package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real HAProxy gets its servers from a group. */
@Tag("slow")
class HaproxyFeedTest {

    private static final String CLUSTER = "haproxy-feed-test";
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    private int port;
    private Process haproxy;

    @BeforeEach
    void start() throws IOException {
        port = Ports.lasting();
        Files.writeString(directory.resolve("haproxy.cfg"), """
                global
                  stats socket %s mode 600 level admin
                  maxconn 200
                defaults
                  mode http
                  timeout connect 5s
                  timeout client 1m
                  timeout server 1m
                  option redispatch
                frontend front
                  bind 127.0.0.1:%d
                  default_backend web
                backend web
                  balance roundrobin
                  use-server %%[req.cook(JSESSIONID),word(2,.)] if { req.cook(JSESSIONID) -m found }
                """.formatted(directory.resolve("socket"), port));
        startHaproxy();
    }

    private void startHaproxy() throws IOException {
        haproxy = new ProcessBuilder("/usr/sbin/haproxy", "-db", "-f", directory.resolve("haproxy.cfg").toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @AfterEach
    void stop() {
        haproxy.destroyForcibly().onExit().join();
        client.close();
    }

    @Test
    void hasTheNodesAsTheyComeDrainAndGo() throws Exception {
        try (Node front = Node.local().name("front").cluster(CLUSTER).start();
                ProxyFeed feed = ProxyFeed.ofHaproxy(front, "balancer", directory.resolve("socket"), "web");
                Node one = Node.local().name("one").cluster(CLUSTER).start();
                Node two = Node.local().name("two").cluster(CLUSTER).start();
                WebServer first = new WebServer("web1");
                WebServer second = new WebServer("web2")) {
            Announcer announcer = first.announce(one, WebContext.of("/")).open();
            Await.until("the first serves", () -> "web1".equals(body("")));
            Announcer other = second.announce(two, WebContext.of("/")).open();
            Await.until("the second serves", () -> "web2".equals(body("")));
            assertThat(feed.routes()).containsExactly("web1", "web2");
            for (int i = 0; i < 10; i++) {
                assertThat(body("1.web1")).isEqualTo("web1");
                assertThat(body("1.web2")).isEqualTo("web2");
            }

            assertThat(announcer.restrict(ContextState.DRAINING, LONG)).isTrue();
            for (int i = 0; i < 10; i++) {
                assertThat(body("")).isEqualTo("web2");
            }
            assertThat(announcer.drain(LONG)).isTrue();
            int served = first.served.get();
            for (int i = 0; i < 10; i++) {
                assertThat(body("1.web1")).isEqualTo("web2");
            }
            assertThat(first.served.get()).isEqualTo(served);
            announcer.close();
            Await.until("the first is gone", () -> feed.routes().size() == 1);

            // A new HAProxy is filled by itself.
            haproxy.destroyForcibly().onExit().join();
            startHaproxy();
            Await.until("the second serves again", () -> "web2".equals(body("")));
            other.close();
        }
    }

    private String body(String session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"));
        if (!session.isEmpty()) {
            request.header("Cookie", "JSESSIONID=" + session);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            return response.statusCode() == 200 ? response.body() : "status " + response.statusCode();
        } catch (IOException e) {
            return "no answer";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
