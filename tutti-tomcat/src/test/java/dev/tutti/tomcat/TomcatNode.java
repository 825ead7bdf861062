package dev.tutti.tomcat;

import dev.tutti.Node;
import dev.tutti.tomcat.replication.SessionChannel;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/** Embedded Tomcat with one application, whose pages the test sets. */
final class TomcatNode implements AutoCloseable {

    private static final Logger TOMCAT_LOG = Logger.getLogger("org.apache");

    static {
        TOMCAT_LOG.setLevel(Level.SEVERE);
    }

    /** Page of the application. */
    @FunctionalInterface
    interface Page {
        void serve(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    final String name;
    final Tomcat tomcat = new Tomcat();
    final Context context;
    final TuttiManager manager;

    /**
     * Returns a manager whose timeouts exceed the waits of a test: a request does not go on without the others, however
     * long a thread waits for a processor. Tests of slow members set timeouts of their own.
     */
    static TuttiManager patientManager(SessionChannel.Source source) {
        return patient(new TuttiManager(source));
    }

    static TuttiManager patientManager(Node node) {
        return patient(new TuttiManager(node));
    }

    private static TuttiManager patient(TuttiManager manager) {
        manager.setAcknowledgementTimeout("20 s");
        manager.setQueryTimeout("20 s");
        manager.setStartTimeout("20 s");
        manager.setStopTimeout("20 s");
        return manager;
    }

    TomcatNode(
            String name, Path directory, TuttiManager manager, Map<String, Page> pages, Consumer<TomcatNode> settings) {
        this.name = name;
        this.manager = manager;
        tomcat.setBaseDir(directory.resolve(name).toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("bindOnInit", "false");
        context = tomcat.addContext("", directory.toString());
        context.setSessionTimeout(30);
        context.setBackgroundProcessorDelay(-1);
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.CONFIGURE_START_EVENT)) {
                Wrapper wrapper = Tomcat.addServlet(context, "pages", new Pages(name, pages));
                wrapper.setAsyncSupported(true);
                wrapper.addMapping("/");
            }
        });
        manager.setProcessExpiresFrequency(1);
        context.setManager(manager);
        settings.accept(this);
        try {
            tomcat.start();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        }
    }

    int port() {
        return tomcat.getConnector().getLocalPort();
    }

    /** Returns whether no request is being processed: one ends after its client has the response. */
    boolean isIdle() {
        return tomcat.getConnector().getProtocolHandler().getExecutor() instanceof ThreadPoolExecutor threads && threads.getActiveCount() == 0;
    }

    @Override
    public void close() {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Pages extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final String node;
        private final transient Map<String, Page> pages;

        Pages(String node, Map<String, Page> pages) {
            this.node = node;
            this.pages = pages;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setHeader("X-Node", node);
            Page page = pages.get(request.getServletPath());
            if (page == null) {
                response.sendError(404);
                return;
            }
            try {
                page.serve(request, response);
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

}
