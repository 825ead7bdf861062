package dev.tutti.demo;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

/**
 * The balancer of {@code ./tutti balance} before the nodes of the shop, on loopback. The page is a web server of this process behind
 * it, so that page and shop have one address. Thread-safe after its start.
 */
final class Front implements AutoCloseable {

    static final String SHOP = "/shop/";

    /** Names of this host; requests with other ones get nothing, as a foreign page's name may point here. */
    static final List<String> HOSTS = List.of("127.0.0.1", "localhost");

    private static final String PAGE_ROUTE = "page";
    private static final int PORTS_MORE = 20;
    private static final int PORT_MAX = 65_535;

    private final Node node = Node.tcp(0).name("balancer").cluster(SessionKeeping.CLUSTER).start();
    private @Nullable Tomcat pages;
    private @Nullable Balancer balancer;

    /** Returns the address at which nodes find the balancer's own. */
    String seed() {
        return node.address();
    }

    /**
     * @param port port to listen on
     * @param isFixed whether it must be that one; otherwise one of the next twenty is used
     * @param directory directory for the files of the page's server
     * @throws BindException if there is no free port
     */
    void start(int port, boolean isFixed, Page page, Path directory) throws IOException {
        int pagePort = serve(page, directory);
        int last = isFixed || port == 0 ? port : Math.min(port + PORTS_MORE, PORT_MAX);
        for (int candidate = port; candidate <= last; candidate++) {
            try {
                balancer = Balancer.open(node, Balancer.defaults()
                        .with(BalancerSettings.PORT, candidate)
                        .with(BalancerSettings.NODES, PAGE_ROUTE + "=http://127.0.0.1:" + pagePort)
                        .with(BalancerSettings.ANSWER_TIMEOUT, Duration.ofSeconds(10))
                        .with(BalancerSettings.DRAIN_TIMEOUT, Duration.ofSeconds(1))
                        .with(BalancerSettings.CONSOLE_PORT, 0));
                return;
            } catch (SettingException e) {
                if (!(e.getCause() instanceof BindException)) {
                    throw e;
                }
            }
        }
        throw new BindException(
                isFixed ? "port " + port + " is in use" : "ports " + port + " to " + last + " are all in use");
    }

    /** Starts the server of the page, and returns its port. */
    private int serve(Page page, Path directory) throws IOException {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createDirectories(directory).toString());
        Connector connector = new Connector();
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(0);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "page", page).addMapping("/*");
        pages = tomcat;
        try {
            tomcat.start();
        } catch (LifecycleException e) {
            throw new IOException("the page's server does not start", e);
        }
        return connector.getLocalPort();
    }

    int port() {
        return present().port();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port());
    }

    /** Returns the names of the nodes of the shop that get requests now. */
    List<String> nodes() {
        Balancer now = balancer;
        return now == null ? List.of() : now.routes().stream().filter(route -> !route.equals(PAGE_ROUTE)).toList();
    }

    private Balancer present() {
        Balancer now = balancer;
        if (now == null) {
            throw new IllegalStateException("the balancer has not been started");
        }
        return now;
    }

    @Override
    public void close() {
        Balancer now = balancer;
        if (now != null) {
            now.close();
        }
        Tomcat server = pages;
        if (server != null) {
            try {
                server.stop();
                server.destroy();
            } catch (LifecycleException e) {
                throw new IllegalStateException("the page's server does not stop", e);
            }
        }
        node.close();
    }
}
