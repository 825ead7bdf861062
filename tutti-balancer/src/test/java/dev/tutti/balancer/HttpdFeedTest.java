package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Apache httpd gets the members of its balancer from a group. */
@Tag("slow")
class HttpdFeedTest {

    private static final String CLUSTER = "httpd-feed-test";
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CLIENTS = 4;

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    private int port;
    private Process httpd;

    @BeforeEach
    void start() throws IOException {
        port = Ports.lasting();
        StringBuilder config = new StringBuilder("ServerName localhost\nServerRoot " + directory + "\nListen 127.0.0.1:" + port + "\n"
                + "DefaultRuntimeDir " + directory + "\nPidFile httpd.pid\nErrorLog error.log\nMutex file:" + directory + "\n");
        for (String module : List.of(
                "mpm_event", "authz_core", "authz_host", "slotmem_shm", "proxy", "proxy_http", "proxy_balancer", "lbmethod_byrequests")) {
            config.append("LoadModule ").append(module).append("_module /usr/lib/apache2/modules/mod_").append(module).append(".so\n");
        }
        Files.writeString(directory.resolve("httpd.conf"), config + """
                <Proxy balancer://web>
                  ProxySet stickysession=JSESSIONID|jsessionid growth=20
                </Proxy>
                ProxyPass /balancer-manager !
                ProxyPass / balancer://web/
                <Location /balancer-manager>
                  SetHandler balancer-manager
                  Require local
                </Location>
                """);
        startHttpd();
    }

    private void startHttpd() throws IOException {
        httpd = new ProcessBuilder("/usr/sbin/apache2", "-X", "-d", directory.toString(), "-f", directory.resolve("httpd.conf").toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @AfterEach
    void stop() {
        httpd.destroyForcibly().onExit().join();
        client.close();
    }

    private URI manager() {
        return URI.create("http://127.0.0.1:" + port + "/balancer-manager");
    }

    @Test
    void hasTheNodesAsTheyComeDrainAndGo() throws Exception {
        try (Node front = Node.local().name("front").cluster(CLUSTER).start();
                ProxyFeed feed = ProxyFeed.ofHttpd(front, "balancer", manager(), "web");
                Node one = Node.local().name("one").cluster(CLUSTER).start();
                Node two = Node.local().name("two").cluster(CLUSTER).start();
                WebServer first = new WebServer("web1")) {
            WebServer second = new WebServer("web2");
            int secondPort = second.port();
            Announcer announcer = first.announce(one, WebContext.of("/")).open();
            Await.until("the first serves", () -> "web1".equals(body("")));
            Announcer other = second.announce(two, WebContext.of("/")).open();
            Await.until("the second serves", () -> "web2".equals(body("")));
            assertThat(feed.routes()).containsExactly("web1", "web2");
            assertSticky("web1");
            assertSticky("web2");

            assertThat(announcer.restrict(ContextState.DRAINING, LONG)).isTrue();
            assertSticky("web1");
            for (int i = 0; i < 10; i++) {
                assertThat(body("")).isEqualTo("web2");
            }
            assertThat(announcer.restrict(ContextState.ENABLED, LONG)).isTrue();

            drainUnderLoad(announcer, first);
            assertThat(body("1.web1")).isEqualTo("web2");
            announcer.close();
            Await.until("the first is gone", () -> feed.routes().equals(List.of("web2")));

            // httpd finds that the second has gone, and would leave it alone for a minute when it is there again.
            second.close();
            assertThat(body("")).isEqualTo("status 503");
            other.close();
            Await.until("the second is gone", () -> feed.routes().isEmpty());
            try (WebServer again = new WebServer("web2", secondPort)) {
                Announcer announcedAgain = again.announce(two, WebContext.of("/")).open();
                Await.until("the second serves again", () -> "web2".equals(body("")));

                // A new httpd is filled by itself.
                httpd.destroyForcibly().onExit().join();
                startHttpd();
                Await.until("the second serves behind the new one", () -> "web2".equals(body("")));
                announcedAgain.close();
            }
        }
    }

    /** No request fails when a node ends as soon as it is told that it may. */
    private void drainUnderLoad(Announcer announcer, WebServer server) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(CompletableFuture.runAsync(
                    () -> {
                        while (!isOver.get()) {
                            if (!body("1.web1").startsWith("web")) {
                                failed.incrementAndGet();
                            }
                            done.incrementAndGet();
                        }
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        try {
            Await.until("requests are served", () -> done.get() > 50);
            assertThat(announcer.drain(LONG)).isTrue();
            server.close();
            int mark = done.get();
            Await.until("requests are served without it", () -> done.get() > mark + 50);
        } finally {
            isOver.set(true);
        }
        for (CompletableFuture<Void> each : clients) {
            each.get();
        }
        assertThat(failed.get()).isZero();
    }

    private void assertSticky(String route) {
        for (int i = 0; i < 5; i++) {
            assertThat(body("1." + route)).isEqualTo(route);
        }
    }

    @Test
    void refusesAnAddressThatIsNoPage() {
        try (Node front = Node.local().name("front").cluster(CLUSTER).start()) {
            assertThatThrownBy(() -> ProxyFeed.ofHttpd(front, "balancer", URI.create("https://127.0.0.1/balancer-manager"), "web"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("http://127.0.0.1:8081/balancer-manager");
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
