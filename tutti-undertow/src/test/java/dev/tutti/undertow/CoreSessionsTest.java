package dev.tutti.undertow;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.testing.Browser;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.Session;
import io.undertow.server.session.SessionConfig;
import io.undertow.server.session.SessionCookieConfig;
import io.undertow.server.session.SessionListener;
import io.undertow.util.Sessions;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Undertows without servlets, with one I/O thread each. */
class CoreSessionsTest {

    private final String cluster = "test-" + UUID.randomUUID();
    private final List<CoreNode> running = new ArrayList<>();
    private final Browser browser = new Browser();

    @AfterEach
    void close() {
        running.forEach(CoreNode::close);
    }

    /** An Undertow with two applications that share a cookie, and a page without a session that its I/O thread serves. */
    private final class CoreNode implements Browser.Site {
        final List<String> events = new CopyOnWriteArrayList<>();
        final Node node;
        final TuttiSessions sessions;
        final Undertow server;

        CoreNode(String name, HttpHandler shop) {
            node = Node.local().cluster(cluster).name(name).set("records.directory", "memory").start();
            sessions = new TuttiSessions(node).allowedClasses("dev.tutti.undertow.*");
            SessionConfig config = new SessionCookieConfig();
            server = Undertow.builder()
                    .setIoThreads(1)
                    .setWorkerThreads(4)
                    .addHttpListener(0, "127.0.0.1")
                    .setHandler(Handlers.path()
                            .addPrefixPath("/shop", sessions.handler("/shop", config, shop, new Events(events)))
                            .addPrefixPath("/other", sessions.handler("/other", config, CoreSessionsTest::cart))
                            .addPrefixPath("/ping", exchange -> exchange.getResponseSender().send("pong")))
                    .build();
            server.start();
            running.add(this);
        }

        @Override
        public String url(String page) {
            return "http://127.0.0.1:" + UndertowNode.port(server) + page;
        }

        void close() {
            server.stop();
            sessions.close();
            node.close();
        }
    }

    private static String add(HttpServerExchange exchange) {
        return exchange.getQueryParameters().get("add").getFirst();
    }

    private static void cart(HttpServerExchange exchange) {
        Session session = Sessions.getOrCreateSession(exchange);
        Object before = session.getAttribute("items");
        String items = (before == null ? "" : before + " ") + add(exchange);
        session.setAttribute("items", items);
        if (items.endsWith("short")) {
            session.setMaxInactiveInterval(1);
        } else if (items.endsWith("end")) {
            session.invalidate(exchange);
        }
        exchange.getResponseSender().send(items);
    }

    /** Notes what a listener is told. */
    private record Events(List<String> events) implements SessionListener {
        @Override
        public void sessionCreated(Session session, HttpServerExchange exchange) {
            events.add("created");
        }

        @Override
        public void sessionDestroyed(Session session, HttpServerExchange exchange, SessionDestroyedReason reason) {
            events.add(reason + " with " + session.getAttribute("items"));
        }

        @Override
        public void attributeAdded(Session session, String name, Object value) {
            events.add("added " + value);
        }

        @Override
        public void attributeUpdated(Session session, String name, Object value, Object before) {
            events.add(before + " is " + value);
        }

        @Override
        public void attributeRemoved(Session session, String name, Object before) {
            events.add("removed " + before);
        }

        @Override
        public void sessionIdChanged(Session session, String before) {
            events.add("renamed");
        }
    }

    @Test
    void sessionsAreAtBothNodesAndListenersAreToldWhyTheyEnd() {
        CoreNode a = new CoreNode("a", CoreSessionsTest::cart);
        CoreNode b = new CoreNode("b", CoreSessionsTest::cart);
        assertThat(browser.get(a, "/shop?add=book")).isEqualTo("book");
        assertThat(browser.get(b, "/shop?add=pen")).isEqualTo("book pen");
        assertThat(browser.get(a, "/shop?add=end")).isEqualTo("book pen end");
        assertThat(a.events).containsExactly("created", "added book", "book pen is book pen end", "INVALIDATED with book pen end");
        assertThat(b.events).containsExactly("book is book pen");
        a.events.clear();
        assertThat(browser.get(b, "/shop?add=short")).isEqualTo("short");
        until("its end, at the oldest node", () -> !a.events.isEmpty());
        assertThat(a.events).containsExactly("TIMEOUT with short");
        assertThat(b.events).endsWith("created", "added short");
        running.remove(a);
        a.close();
        assertThat(browser.get(b, "/shop?add=ink")).isEqualTo("ink");
    }

    @Test
    void applicationsWithOneCookieHaveSessionsOfTheirOwnWithTheSameId() {
        CoreNode a = new CoreNode("a", CoreSessionsTest::cart);
        CoreNode b = new CoreNode("b", CoreSessionsTest::cart);
        browser.get(a, "/shop?add=book");
        String id = browser.session();
        assertThat(browser.get(b, "/other?add=pen")).isEqualTo("pen");
        assertThat(browser.session()).isEqualTo(id);
        assertThat(browser.get(b, "/shop?add=things")).isEqualTo("book things");
        assertThat(browser.get(a, "/other?add=ink")).isEqualTo("pen ink");
    }

    /** An attribute whose write waits, while the gate is closed. */
    private static final class Gate implements Serializable {
        private static final long serialVersionUID = 1L;
        private static volatile CountDownLatch open = new CountDownLatch(0);

        /** Ends when a write waits. */
        private static volatile CountDownLatch reached = new CountDownLatch(1);

        private String value = "";

        static void close() {
            open = new CountDownLatch(1);
        }

        /** The gate is open, and nothing has waited at it. */
        static void reset() {
            open = new CountDownLatch(0);
            reached = new CountDownLatch(1);
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            CountDownLatch waited = open;
            if (waited.getCount() > 0) {
                reached.countDown();
                try {
                    assertThat(waited.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            out.defaultWriteObject();
        }

        @Override
        public String toString() {
            return value;
        }
    }

    private static void show(HttpServerExchange exchange) {
        exchange.getResponseSender().send(String.valueOf(Sessions.getOrCreateSession(exchange).getAttribute("gate")));
    }

    @BeforeEach
    void openGate() {
        Gate.reset();
    }

    @Test
    void aResponseThatAnIoThreadBeginsWaitsForTheChangesAndTheThreadDoesNot() throws Exception {
        CoreNode a = new CoreNode("a", exchange -> {
            Gate gate = new Gate();
            Sessions.getOrCreateSession(exchange).setAttribute("gate", gate);
            gate.value = "changed";
            Gate.close();
            exchange.dispatch(exchange.getIoThread(), () -> exchange.getResponseSender().send("answer"));
        });
        CoreNode b = new CoreNode("b", CoreSessionsTest::show);
        CompletableFuture<HttpResponse<String>> answer = browser.getSoon(a.url("/shop"));
        assertThat(Gate.reached.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(new Browser().get(a, "/ping")).as("served by the only I/O thread").isEqualTo("pong");
        assertThat(answer).isNotDone();
        Gate.open.countDown();
        assertThat(answer.get(30, TimeUnit.SECONDS).body()).isEqualTo("answer");
        assertThat(browser.get(b, "/shop")).isEqualTo("changed");
    }

    /** Changes the session when the first part of the response is sent, and ends it. */
    private record ChangeAndEnd(Gate gate) implements IoCallback {
        @Override
        public void onComplete(HttpServerExchange exchange, Sender sender) {
            gate.value = "changed late";
            Gate.close();
            exchange.endExchange();
        }

        @Override
        public void onException(HttpServerExchange exchange, Sender sender, IOException failure) {
            exchange.endExchange();
        }
    }

    @Test
    void aResponseThatAnIoThreadEndsWaitsForChangesSinceItBegan() throws Exception {
        CoreNode a = new CoreNode("a", exchange -> {
            Gate gate = new Gate();
            Sessions.getOrCreateSession(exchange).setAttribute("gate", gate);
            exchange.dispatch(exchange.getIoThread(), () -> exchange.getResponseSender().send("begun", new ChangeAndEnd(gate)));
        });
        CoreNode b = new CoreNode("b", CoreSessionsTest::show);
        HttpResponse<InputStream> response =
                browser.send(a.url("/shop"), HttpResponse.BodyHandlers.ofInputStream()).get(30, TimeUnit.SECONDS);
        try (InputStream body = response.body()) {
            assertThat(new String(body.readNBytes("begun".length()), StandardCharsets.US_ASCII)).isEqualTo("begun");
            assertThat(Gate.reached.await(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Integer> end = CompletableFuture.supplyAsync(() -> read(body));
            assertThat(new Browser().get(a, "/ping")).as("served by the only I/O thread").isEqualTo("pong");
            assertThat(end).isNotDone();
            Gate.open.countDown();
            assertThat(end.get(30, TimeUnit.SECONDS)).isEqualTo(-1);
            assertThat(browser.get(b, "/shop")).isEqualTo("changed late");
        }
    }

    private static int read(InputStream body) {
        try {
            return body.read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void callsThatWaitAreRefusedOnIoThreads() {
        CoreNode a = new CoreNode("a", exchange -> {
            Session session = Sessions.getOrCreateSession(exchange);
            SessionConfig config = exchange.getAttachment(SessionConfig.ATTACHMENT_KEY);
            exchange.dispatch(exchange.getIoThread(), () -> {
                assertThatThrownBy(() -> session.changeSessionId(exchange, config)).hasMessageContaining("an I/O thread must not");
                assertThatThrownBy(() -> session.invalidate(exchange)).hasMessageContaining("call it on a worker thread");
                session.setAttribute("items", "set by an I/O thread");
                exchange.getResponseSender().send("refused");
            });
        });
        CoreNode b = new CoreNode("b", CoreSessionsTest::cart);
        assertThat(browser.get(a, "/shop")).isEqualTo("refused");
        assertThat(browser.get(b, "/shop?add=pen")).isEqualTo("set by an I/O thread pen");
    }

    @Test
    void aChangeAfterTheEndOfARequestIsWrittenWithoutAWait() {
        List<Session> kept = new CopyOnWriteArrayList<>();
        CoreNode a = new CoreNode("a", exchange -> {
            kept.add(Sessions.getOrCreateSession(exchange));
            exchange.getResponseSender().send("kept");
        });
        CoreNode b = new CoreNode("b", CoreSessionsTest::show);
        browser.get(a, "/shop");
        until("the end of the request", () -> a.node.inspection().components().stream()
                .allMatch(part -> part.part().values().get("in-use") == 0L));
        kept.getFirst().setAttribute("gate", "late");
        until("it is at the other node", () -> browser.get(b, "/shop").equals("late"));
    }
}
