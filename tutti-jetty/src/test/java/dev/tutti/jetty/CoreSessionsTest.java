package dev.tutti.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.Session;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.session.SessionHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Jetties without servlets, on which its environments for all versions of Jakarta EE stand. */
class CoreSessionsTest {

    private static final class Cart extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Session session = request.getSession(true);
            Object before = session.getAttribute("items");
            String items = (before == null ? "" : before + " ") + Request.extractQueryParameters(request).getValue("add");
            session.setAttribute("items", items);
            response.write(true, StandardCharsets.UTF_8.encode(items), callback);
            return true;
        }
    }

    /** @return its port */
    private static int start(Server server, Node node) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.addBean(new TuttiSessions(node));
        SessionHandler sessions = new SessionHandler();
        sessions.setHandler(new Cart());
        server.setHandler(new ContextHandler(sessions, "/shop"));
        server.start();
        return connector.getLocalPort();
    }

    @Test
    void sessionsAreAtBothNodes() throws Exception {
        String cluster = "test-" + UUID.randomUUID();
        Server a = new Server();
        Server b = new Server();
        try (Node first = Node.local().cluster(cluster).name("a").set("records.directory", "memory").start();
                Node second = Node.local().cluster(cluster).name("b").set("records.directory", "memory").start()) {
            int portOfA = start(a, first);
            int portOfB = start(b, second);
            Browser browser = new Browser();
            assertThat(browser.get("http://127.0.0.1:" + portOfA + "/shop/?add=book")).isEqualTo("book");
            assertThat(browser.get("http://127.0.0.1:" + portOfB + "/shop/?add=pen")).isEqualTo("book pen");
            a.stop();
            assertThat(browser.get("http://127.0.0.1:" + portOfB + "/shop/?add=ink")).isEqualTo("book pen ink");
            b.stop();
        }
    }
}
