package dev.tutti.tomcat.balancer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.testing.Await;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real Tomcats, which announce themselves to a real balancer. */
class BalancerListenerTest {

    private static final String CLUSTER = "balancer-listener-test";

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        client.close();
    }

    @Test
    void announcesContextsAsTheyComeAndGo() throws Exception {
        Node node = node();
        Balancer balancer = balancer(node);
        Tomcat tomcat = tomcat("web1", node);
        tomcat.start();
        Await.until("it is announced", () -> get(balancer, "/shop").statusCode() == 200);
        assertThat(get(balancer, "/shop").body()).isEqualTo("web1");
        Context late = context(tomcat, "/late");
        Await.until("the late one is announced", () -> get(balancer, "/late").statusCode() == 200);
        late.stop();
        assertThat(get(balancer, "/late").statusCode()).isIn(404, 503);
        Await.until("the late one is withdrawn", () -> get(balancer, "/late").statusCode() == 404);
        late.start();
        Await.until("it is back", () -> get(balancer, "/late").statusCode() == 200);
        tomcat.getHost().removeChild(late);
        assertThat(get(balancer, "/late").statusCode()).isIn(404, 503);
        Await.until("it is withdrawn", () -> get(balancer, "/late").statusCode() == 404);
        get(balancer, "/shop/session");
        Await.until("the session is counted", () -> text(balancer.consoleUrl() + "/v1/nodes").matches("(?s).*\"sessions\":[1-9].*"));
        tomcat.stop();
        Await.until("it is gone", () -> balancer.routes().isEmpty());
    }

    @Test
    void losesNoRequestWhenATomcatStops() throws Exception {
        Node node = node();
        Balancer balancer = balancer(node);
        Tomcat first = tomcat("web1", node);
        first.start();
        tomcat("web2", node).start();
        Await.until("both are announced", () -> balancer.routes().size() == 2);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        List<CompletableFuture<List<Integer>>> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            clients.add(CompletableFuture.supplyAsync(
                    () -> {
                        List<Integer> failed = new ArrayList<>();
                        while (!isOver.get()) {
                            int status = post(balancer, "/shop").statusCode();
                            done.incrementAndGet();
                            if (status != 200) {
                                failed.add(status);
                            }
                        }
                        return failed;
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        Await.until("requests are served", () -> done.get() > 100);
        first.stop();
        // A stop waits until nothing is sent there any more, but not until the balancer has the view without it.
        Await.until("it is gone", () -> !balancer.routes().contains("web1"));
        int mark = done.get();
        Await.until("requests are served without it", () -> done.get() > mark + 100);
        isOver.set(true);
        for (CompletableFuture<List<Integer>> each : clients) {
            assertThat(each.get()).isEmpty();
        }
    }

    @Test
    void refusesToStartWithoutARoute() {
        Tomcat tomcat = tomcat("", node());
        assertThatThrownBy(tomcat::start)
                .isInstanceOf(LifecycleException.class)
                .rootCause()
                .hasMessageContaining("set jvmRoute of <Engine");
    }

    // ------------------------------------------------------------------ support

    private <T extends AutoCloseable> T keep(T resource) {
        open.add(resource);
        return resource;
    }

    private Node node() {
        return keep(Node.tcp(0).name("front").cluster(CLUSTER).start());
    }

    private Balancer balancer(Node node) {
        return keep(Balancer.open(node, Balancer.defaults().with(BalancerSettings.PORT, 0).with(BalancerSettings.CONSOLE_PORT, 0)));
    }

    private Tomcat tomcat(String route, Node seed) {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory.resolve("base" + route).toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getEngine().setJvmRoute(route);
        BalancerListener listener = new BalancerListener();
        listener.setCluster(CLUSTER);
        listener.setPort(0);
        listener.setSeeds(seed.address());
        listener.setNodeName("web" + route);
        tomcat.getServer().addLifecycleListener(listener);
        context(tomcat, "/shop");
        keep(() -> {
            tomcat.stop();
            tomcat.destroy();
        });
        return tomcat;
    }

    private Context context(Tomcat tomcat, String path) {
        Context context = tomcat.addContext(path, directory.toString());
        // A context that stops forgets its servlets.
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.CONFIGURE_START_EVENT)) {
                addServlet(context, tomcat.getEngine().getJvmRoute());
            }
        });
        if (context.getState().isAvailable()) {
            addServlet(context, tomcat.getEngine().getJvmRoute());
        }
        return context;
    }

    private static void addServlet(Context context, String route) {
        Tomcat.addServlet(context, "route", new Route(route)).addMapping("/*");
    }

    private static final class Route extends HttpServlet {

        @Serial
        private static final long serialVersionUID = 1L;

        private final String route;

        Route(String route) {
            this.route = route;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getRequestURI().endsWith("/session")) {
                request.getSession();
            }
            response.getWriter().write(route);
        }
    }

    private HttpResponse<String> get(Balancer balancer, String path) {
        return send(HttpRequest.newBuilder(URI.create(balancer.url() + path)).build());
    }

    private HttpResponse<String> post(Balancer balancer, String path) {
        return send(HttpRequest.newBuilder(URI.create(balancer.url() + path)).POST(BodyPublishers.ofString("x")).build());
    }

    private String text(String url) {
        return send(HttpRequest.newBuilder(URI.create(url)).build()).body();
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
