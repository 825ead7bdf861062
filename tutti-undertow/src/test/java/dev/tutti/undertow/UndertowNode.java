package dev.tutti.undertow;

import dev.tutti.Node;
import dev.tutti.testing.Browser;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.session.SessionManager;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import io.undertow.servlet.util.ImmediateInstanceFactory;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** An Undertow with one application of servlets, {@code /shop}, on a node of a cluster. */
final class UndertowNode implements Browser.Site, AutoCloseable {

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
    private final DeploymentManager application;
    private final Undertow server;

    /** @param preparation called with the application before it is deployed */
    UndertowNode(Node node, Map<String, Page> pages, UnaryOperator<TuttiSessions> settings, Consumer<DeploymentInfo> preparation) {
        this.node = node;
        TuttiSessions sessions = settings.apply(new TuttiSessions(node).allowedClasses("dev.tutti.undertow.*"));
        DeploymentInfo info = Servlets.deployment()
                .setDeploymentName("shop")
                .setContextPath("/shop")
                .setClassLoader(UndertowNode.class.getClassLoader())
                .setSessionManagerFactory(sessions.servlets());
        pages.forEach((path, page) -> info.addServlet(
                Servlets.servlet(path, HttpServlet.class, new ImmediateInstanceFactory<>(new PageServlet(page)))
                        .addMapping(path)
                        .setAsyncSupported(true)));
        preparation.accept(info);
        application = Servlets.newContainer().addDeployment(info);
        application.deploy();
        try {
            server = Undertow.builder()
                    .setIoThreads(1)
                    .setWorkerThreads(64)
                    .addHttpListener(0, "127.0.0.1")
                    .setHandler(Handlers.path().addPrefixPath("/shop", application.start()))
                    .build();
        } catch (ServletException e) {
            throw new IllegalStateException(e);
        }
        server.start();
    }

    Node node() {
        return node;
    }

    SessionManager sessions() {
        return application.getDeployment().getSessionManager();
    }

    static int port(Undertow server) {
        return ((InetSocketAddress) server.getListenerInfo().getFirst().getAddress()).getPort();
    }

    @Override
    public String url(String page) {
        return "http://127.0.0.1:" + port(server) + "/shop" + page;
    }

    /** Stops the application alone; requests that are under way go on. */
    void stopApplication() throws ServletException {
        application.stop();
    }

    void startApplication() throws ServletException {
        application.start();
    }

    @Override
    public void close() {
        server.stop();
        try {
            application.stop();
        } catch (ServletException e) {
            throw new IllegalStateException(e);
        }
        node.close();
    }
}
