package dev.tutti.jetty;

import dev.tutti.Node;
import dev.tutti.testing.Browser;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** A Jetty with one application, {@code /shop}, on a node of a cluster. */
final class JettyNode implements Browser.Site, AutoCloseable {

    /** A page of the application. */
    @FunctionalInterface
    interface Page {
        void show(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    private static final class PageServlet extends HttpServlet {
        private static final long serialVersionUID = 1L;
        private final transient Page page;

        PageServlet(Page page) {
            this.page = page;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            try {
                page.show(request, response);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final Node node;
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final ServletContextHandler application = new ServletContextHandler("/shop", ServletContextHandler.SESSIONS);

    /** @param preparation called with the application before it starts */
    JettyNode(Node node, Map<String, Page> pages, UnaryOperator<TuttiSessions> settings, Consumer<ServletContextHandler> preparation) {
        this.node = node;
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.addBean(settings.apply(new TuttiSessions(node).allowedClasses("dev.tutti.jetty.*")));
        pages.forEach((path, page) -> application.addServlet(new ServletHolder(new PageServlet(page)), path));
        preparation.accept(application);
        server.setHandler(application);
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    Node node() {
        return node;
    }

    ServletContextHandler application() {
        return application;
    }

    @Override
    public String url(String page) {
        return "http://127.0.0.1:" + connector.getLocalPort() + "/shop" + page;
    }

    /** Stops the application only. */
    void stopServer() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stopServer();
        node.close();
    }
}
