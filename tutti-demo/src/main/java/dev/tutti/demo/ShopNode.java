package dev.tutti.demo;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.http.Rfc6265CookieProcessor;

/**
 * One node of the shop, a process of its own: Tomcat with the shop, whose sessions are replicated to all nodes.
 *
 * <p>It prints {@code ready <port>} on its standard output when it serves, and stops when its standard input ends: when
 * its parent closes it, and also when its parent dies, in whatever way.
 */
final class ShopNode {

    static final String READY = "ready ";
    static final String STATUS_PATH = "/node/status";

    /** Time for stopping, after which the process ends without it. */
    private static final int STOP_SECONDS_MAX = 5;

    private ShopNode() {}

    /** Arguments: name, port among nodes, seeds separated by commas, directory for files. */
    public static void main(String[] arguments) throws IOException, LifecycleException {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("name, port, seeds and directory are wanted, not " + arguments.length);
        }
        String name = arguments[0];
        int port = Integer.parseInt(arguments[1]);
        List<String> seeds = List.of(arguments[2].split(","));
        try (SessionKeeping keeping = SessionKeeping.open(name, port, seeds)) {
            Tomcat tomcat = start(name, keeping, Path.of(arguments[3]));
            int web = tomcat.getConnector().getLocalPort();
            keeping.announce(web);
            System.out.println(READY + web);
            awaitEnd(System.in);
            haltLater();
            tomcat.stop();
        }
        // No thread that still runs is worth waiting for.
        Runtime.getRuntime().halt(0);
    }

    private static Tomcat start(String name, SessionKeeping keeping, Path directory) throws IOException, LifecycleException {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createDirectories(directory).toString());
        Connector connector = new Connector();
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(0);
        tomcat.setConnector(connector);
        tomcat.getEngine().setJvmRoute(name);

        CartServlet cart = new CartServlet(name);
        Context shop = tomcat.addContext("/shop", null);
        shop.setDistributable(true);
        shop.setManager(keeping.manager());
        Rfc6265CookieProcessor cookies = new Rfc6265CookieProcessor();
        cookies.setSameSiteCookies("strict");
        shop.setCookieProcessor(cookies);
        Tomcat.addServlet(shop, "cart", cart).addMapping("/cart/*");

        Context node = tomcat.addContext("/node", null);
        Tomcat.addServlet(node, "status", new HttpServlet() {
            private static final long serialVersionUID = 1;

            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                NodeStatus status = new NodeStatus(
                        name, keeping.viewNumber(), keeping.members(), keeping.manager().getActiveSessions(), cart.requests());
                response.setContentType("text/plain;charset=utf-8");
                response.getWriter().write(status.text());
            }
        }).addMapping("/status");
        tomcat.start();
        if (!shop.getState().isAvailable()) {
            throw new IllegalStateException("the shop did not start; why is said above");
        }
        return tomcat;
    }

    private static void awaitEnd(InputStream in) throws IOException {
        byte[] buffer = new byte[256];
        int count;
        do {
            count = in.read(buffer);
        } while (count >= 0);
    }

    /** Ends the process after a time, even if stopping gracefully hangs. */
    private static void haltLater() {
        Thread.ofPlatform().daemon().name("halt").start(() -> {
            try {
                Thread.sleep(STOP_SECONDS_MAX * 1_000L);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(1);
        });
    }
}
