package dev.tutti.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.testing.Await;
import dev.tutti.testing.Browser;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.Session;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
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
            if (items.endsWith("short")) {
                session.setMaxInactiveInterval(1);
            }
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
        sessions.setSessionPath("/");
        SessionHandler others = new SessionHandler();
        others.setHandler(new Cart());
        others.setSessionPath("/");
        server.setHandler(new ContextHandlerCollection(new ContextHandler(sessions, "/shop"), new ContextHandler(others, "/other")));
        server.start();
        return connector.getLocalPort();
    }

    @Test
    void applicationsWithOneCookieHaveSessionsOfTheirOwnWithTheSameId() throws Exception {
        String cluster = "test-" + UUID.randomUUID();
        Server a = new Server();
        Server b = new Server();
        try (Node first = Node.local().cluster(cluster).name("a").set("records.directory", "memory").start();
                Node second = Node.local().cluster(cluster).name("b").set("records.directory", "memory").start()) {
            String urlOfA = "http://127.0.0.1:" + start(a, first);
            String urlOfB = "http://127.0.0.1:" + start(b, second);
            Browser browser = new Browser();
            browser.get(urlOfA + "/shop/?add=book");
            String id = browser.session();
            assertThat(browser.get(urlOfB + "/other/?add=pen")).isEqualTo("pen");
            assertThat(browser.session()).isEqualTo(id);
            browser.get(urlOfB + "/shop/?add=short");
            Await.until("its end, at the oldest member", () -> first.inspection().components().stream()
                    .anyMatch(part -> part.part().values().getOrDefault("expired", 0L) == 1L));
            assertThat(browser.get(urlOfA + "/other/?add=ink")).as("that of the other application goes on").isEqualTo("pen ink");
            assertThat(browser.get(urlOfA + "/shop/?add=new")).isEqualTo("new");
            assertThat(browser.get(urlOfB + "/shop/?add=things")).as("found again, although the id is that of an ended one").isEqualTo("new things");
            a.stop();
            b.stop();
        }
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
