package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jboss.modcluster.ModClusterService;
import org.jboss.modcluster.config.ModClusterConfiguration;
import org.jboss.modcluster.config.ProxyConfiguration;
import org.jboss.modcluster.config.builder.ModClusterConfigurationBuilder;
import org.jboss.modcluster.container.Connector;
import org.jboss.modcluster.container.Context;
import org.jboss.modcluster.container.Engine;
import org.jboss.modcluster.container.Host;
import org.jboss.modcluster.container.Server;
import org.jboss.modcluster.container.listeners.HttpSessionListener;
import org.jboss.modcluster.container.listeners.ServletRequestListener;
import org.junit.jupiter.api.Test;

/** The real mod_cluster, whose events come from a container of this test. */
class ModClusterClientTest {

    @Test
    void registersItsContextsAndIsDrainedByItsConsole() throws Exception {
        int port;
        port = Ports.lasting();
        try (Node node = Node.local().name("balancer").cluster("mod-cluster-client-test").start();
                Balancer balancer = Balancer.open(
                        node,
                        Balancer.defaults()
                                .with(BalancerSettings.PORT, 0)
                                .with(BalancerSettings.CONSOLE_PORT, 0)
                                .with(BalancerSettings.MOD_CLUSTER_PORT, port));
                WebServer web = new WebServer("web1");
                HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build()) {
            Container container = new Container("web1", web.port());
            ModClusterService service = new ModClusterService(configuration(port), engine -> 75);
            service.init(container);
            Application shop = container.application("/shop");
            service.add(shop);
            service.start(shop);
            for (int i = 0; i < 3; i++) {
                service.status(container);
            }
            Await.until("the context is enabled", () -> status(client, balancer, "/shop", "") == 200);
            assertThat(service.getProxyInfo().values()).singleElement().asString().contains("Name: web1", "Context: /shop, Status: ENABLED", "Load: 75");
            assertThat(service.ping().values()).singleElement().asString().contains("State=OK");

            // What an operator does by its MBean.
            assertThat(service.disableContext("localhost", "/shop")).isTrue();
            assertThat(status(client, balancer, "/shop", "")).isEqualTo(503);
            assertThat(status(client, balancer, "/shop", "1.web1")).isEqualTo(200);
            assertThat(service.enableContext("localhost", "/shop")).isTrue();
            assertThat(status(client, balancer, "/shop", "")).isEqualTo(200);
            assertThat(service.stopContext("localhost", "/shop", 5, TimeUnit.SECONDS)).isTrue();
            assertThat(status(client, balancer, "/shop", "1.web1")).isEqualTo(503);
            assertThat(service.enableContext("localhost", "/shop")).isTrue();

            Application late = container.application("/late");
            service.add(late);
            service.start(late);
            assertThat(status(client, balancer, "/late", "")).isEqualTo(200);
            service.stop(late);
            service.remove(late);
            assertThat(status(client, balancer, "/late", "")).isIn(404, 503);

            service.stop(container);
            service.shutdown();
            assertThat(status(client, balancer, "/shop", "1.web1")).isIn(404, 503);
            assertThat(balancer.numbers()).containsEntry("mod-cluster-faults", 0L);
        }
    }

    private static int status(HttpClient client, Balancer balancer, String path, String session) {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(balancer.url() + path)).header("Cookie", "JSESSIONID=" + session).build();
            return client.send(request, BodyHandlers.ofString()).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ModClusterConfiguration configuration(int port) {
        ProxyConfiguration proxy = new ProxyConfiguration() {
            @Override
            public InetSocketAddress getRemoteAddress() {
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            }

            @Override
            public InetSocketAddress getLocalAddress() {
                return null;
            }
        };
        return new ModClusterConfigurationBuilder()
                .mcmp()
                .setAdvertise(false)
                .setProxyConfigurations(List.of(proxy))
                .build();
    }

    // ------------------------------------------------------------------ container

    /** A server with one engine and one host, which are one object here. */
    private static final class Container implements Server, Engine, Host {

        private final String route;
        private final int port;
        private final List<Context> contexts = new CopyOnWriteArrayList<>();

        Container(String route, int port) {
            this.route = route;
            this.port = port;
        }

        Application application(String path) {
            Application application = new Application(this, path);
            contexts.add(application);
            return application;
        }

        @Override
        public Iterable<Engine> getEngines() {
            return List.of(this);
        }

        @Override
        public String getName() {
            return "localhost";
        }

        @Override
        public Server getServer() {
            return this;
        }

        @Override
        public Iterable<Host> getHosts() {
            return List.of(this);
        }

        @Override
        public Connector getProxyConnector() {
            return new Http(port);
        }

        @Override
        public Iterable<Connector> getConnectors() {
            return List.of(getProxyConnector());
        }

        @Override
        public String getJvmRoute() {
            return route;
        }

        @Override
        public void setJvmRoute(String other) {
            throw new IllegalStateException("the route is set already");
        }

        @Override
        public Host findHost(String name) {
            return name.equals("localhost") ? this : null;
        }

        @Override
        public String getSessionCookieName() {
            return "JSESSIONID";
        }

        @Override
        public String getSessionParameterName() {
            return "jsessionid";
        }

        @Override
        public String getDefaultHost() {
            return "localhost";
        }

        @Override
        public Engine getEngine() {
            return this;
        }

        @Override
        public Iterable<Context> getContexts() {
            return contexts;
        }

        @Override
        public Set<String> getAliases() {
            return Set.of("localhost");
        }

        @Override
        public Context findContext(String path) {
            return contexts.stream().filter(context -> context.getPath().equals(path)).findFirst().orElse(null);
        }

        @Override
        public String toString() {
            return route;
        }
    }

    private record Application(Host host, String path) implements Context {

        @Override
        public Host getHost() {
            return host;
        }

        @Override
        public String getPath() {
            return path;
        }

        @Override
        public boolean isStarted() {
            return true;
        }

        @Override
        public void addRequestListener(ServletRequestListener listener) {
            // Nothing is counted here.
        }

        @Override
        public void removeRequestListener(ServletRequestListener listener) {
            // None was added.
        }

        @Override
        public void addSessionListener(HttpSessionListener listener) {
            // Nothing is counted here.
        }

        @Override
        public void removeSessionListener(HttpSessionListener listener) {
            // None was added.
        }

        @Override
        public int getActiveSessionCount() {
            return 0;
        }

        @Override
        public boolean isDistributable() {
            return true;
        }
    }

    private record Http(int port) implements Connector {

        @Override
        public boolean isReverse() {
            return false;
        }

        @Override
        public Type getType() {
            return Type.HTTP;
        }

        @Override
        public InetAddress getAddress() {
            return InetAddress.getLoopbackAddress();
        }

        @Override
        public void setAddress(InetAddress address) {
            throw new IllegalStateException("the address is set already");
        }

        @Override
        public int getPort() {
            return port;
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public int getMaxThreads() {
            return 200;
        }

        @Override
        public int getBusyThreads() {
            return 0;
        }

        @Override
        public long getBytesSent() {
            return 0;
        }

        @Override
        public long getBytesReceived() {
            return 0;
        }

        @Override
        public long getRequestCount() {
            return 0;
        }
    }
}
