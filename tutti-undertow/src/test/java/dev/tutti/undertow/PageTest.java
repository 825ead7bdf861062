package dev.tutti.undertow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.testing.Browser;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.session.SessionConfig;
import io.undertow.server.session.SessionCookieConfig;
import io.undertow.server.session.SessionListener;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import shop.Visits;

/** The programs of docs/operating/undertow.md; {@link KillTest} runs the shop. */
class PageTest {

    private final String cluster = "test-" + UUID.randomUUID();

    @ParameterizedTest
    @ValueSource(strings = {"Shop.java", "Visits.java"})
    void thePageHasTheProgram(String file) throws IOException {
        String page = Files.readString(Path.of("../docs/operating/undertow.md"));
        assertThat(page).contains(Files.readString(Path.of("src/test/java/shop", file)));
    }

    /** A class path without servlets. */
    private static final class NoServlets extends ClassLoader {
        NoServlets() {
            super(PageTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.undertow.servlet.") || name.startsWith("jakarta.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("dev.tutti.undertow.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void handlersNeedNoServletsOnTheClassPath() throws Throwable {
        try (Node node = node("a")) {
            Class<?> sessions = Class.forName(TuttiSessions.class.getName(), true, new NoServlets());
            Object made = sessions.getConstructor(Node.class).newInstance(node);
            HttpHandler next = exchange -> exchange.getResponseSender().send("answer");
            MethodType type = MethodType.methodType(HttpHandler.class, String.class, SessionConfig.class, HttpHandler.class, SessionListener[].class);
            Object handler = MethodHandles.publicLookup()
                    .findVirtual(sessions, "handler", type)
                    .invokeWithArguments(made, "/", new SessionCookieConfig(), next);
            assertThat(handler.getClass().getClassLoader()).isSameAs(sessions.getClassLoader());
        }
    }

    private Node node(String name) {
        return Node.local().cluster(cluster).name(name).set("records.directory", "memory").start();
    }

    private static Undertow start(TuttiSessions sessions) {
        Undertow server = Undertow.builder().addHttpListener(0, "127.0.0.1").setHandler(Visits.handler(sessions)).build();
        server.start();
        return server;
    }

    @Test
    void visitsAreCountedByAllNodes() {
        try (Node first = node("a");
                Node second = node("b");
                TuttiSessions sessions = new TuttiSessions(first);
                TuttiSessions others = new TuttiSessions(second)) {
            Undertow a = start(sessions);
            Undertow b = start(others);
            Browser browser = new Browser();
            assertThat(browser.get("http://127.0.0.1:" + UndertowNode.port(a) + "/")).isEqualTo("visit 1");
            assertThat(browser.get("http://127.0.0.1:" + UndertowNode.port(b) + "/")).isEqualTo("visit 2");
            a.stop();
            assertThat(browser.get("http://127.0.0.1:" + UndertowNode.port(b) + "/")).isEqualTo("visit 3");
            b.stop();
        }
    }
}
