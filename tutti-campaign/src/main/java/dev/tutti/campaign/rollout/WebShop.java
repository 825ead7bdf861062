package dev.tutti.campaign.rollout;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.WebContext;
import dev.tutti.tomcat.TuttiManager;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat in the pod, whose servlet counts the requests of a session, and which announces itself to balancers. */
final class WebShop {

    static final String PATH = "/shop/count";

    private static final Duration DRAIN = Duration.ofSeconds(8);

    private final Tomcat tomcat = new Tomcat();
    private final Announcer announcer;

    WebShop(Node node, PodAddress address, Path directory) throws IOException, LifecycleException {
        tomcat.setBaseDir(Files.createDirectories(directory).toString());
        Connector connector = new Connector();
        connector.setProperty("address", address.host());
        connector.setProperty("bindOnInit", "false");
        connector.setPort(address.httpPort());
        tomcat.setConnector(connector);
        tomcat.getEngine().setJvmRoute(node.name());
        Context shop = tomcat.addContext("/shop", null);
        shop.setDistributable(true);
        shop.setManager(new TuttiManager(node));
        Tomcat.addServlet(shop, "count", new Counter(node.name())).addMapping("/count");
        tomcat.start();
        if (!shop.getState().isAvailable()) {
            throw new IllegalStateException("the shop has not started; the log says why");
        }
        announcer = Announcer.on(node)
                .route(node.name())
                .address("http", address.host(), address.httpPort())
                .contexts(WebContext.of("/shop"))
                .open();
    }

    /** Answers what is under way, and stops. */
    void stop() throws LifecycleException, InterruptedException {
        announcer.drain(DRAIN);
        tomcat.stop();
        announcer.close();
    }

    private static final class Counter extends HttpServlet {

        private static final long serialVersionUID = 1;

        private final String pod;

        Counter(String pod) {
            this.pod = pod;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            HttpSession session = request.getSession();
            int count = session.getAttribute("count") instanceof Integer before ? before + 1 : 1;
            session.setAttribute("count", count);
            response.setContentType("text/plain");
            response.getWriter().write(count + " " + pod);
        }
    }
}
