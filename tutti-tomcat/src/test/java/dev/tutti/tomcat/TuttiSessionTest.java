package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionBindingEvent;
import jakarta.servlet.http.HttpSessionBindingListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Session;
import org.apache.catalina.SessionEvent;
import org.apache.catalina.SessionListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requirements of the container's own tests on its sessions, applied to these. */
class TuttiSessionTest {

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private TomcatNode a;
    private TomcatNode b;

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        a = new TomcatNode("a", directory, TomcatNode.patientManager(cluster.source("a")), Map.of(), node -> {});
        b = new TomcatNode("b", directory, TomcatNode.patientManager(cluster.source("b")), Map.of(), node -> {});
        // Before that, a does not announce new sessions: b would query one when a request needs it, but not count it.
        until("a sees b", () -> a.manager.status().get("members").equals(List.of("a", "b")));
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
    }

    private TuttiSession create() {
        return (TuttiSession) a.manager.createSession(null);
    }

    private static HttpSession at(TomcatNode node, Session session) {
        return node.manager.findSession(session.getId()).getSession();
    }

    @Test
    void changesOutsideARequestAreAtTheOtherNodeWhenTheCallReturns() {
        TuttiSession session = create();
        session.getSession().setAttribute("x", "1");
        assertThat(at(b, session).getAttribute("x")).isEqualTo("1");
        session.getSession().removeAttribute("x");
        assertThat(at(b, session).getAttribute("x")).isNull();
        session.getSession().setMaxInactiveInterval(77);
        b.manager.findSession(session.getId()).access();
        assertThat(at(b, session).getMaxInactiveInterval()).isEqualTo(77);
        assertThat(at(b, session).getCreationTime()).isEqualTo(session.getCreationTime());
    }

    /** Runs an action when it is bound to a session, before the session has it. */
    private record Bound(Runnable action) implements HttpSessionBindingListener {
        @Override
        public void valueBound(HttpSessionBindingEvent event) {
            action.run();
        }
    }

    @Test
    void valueOfAnotherNodeStandsUntilTheOneThatReplacesItIsThere() {
        TuttiSession session = create();
        session.getSession().setAttribute("x", "old");
        at(b, session).setAttribute("x", "newer");
        List<Object> seen = new ArrayList<>();
        session.getSession().setAttribute("x", new Bound(() -> {
            session.replicate();
            seen.add(at(b, session).getAttribute("x"));
        }));
        assertThat(seen).containsExactly("newer");
    }

    @Test
    void unknownSessionsAreNull() {
        assertThat(a.manager.findSession("unknown")).isNull();
        assertThat(a.manager.findSession(null)).isNull();
        assertThat(a.manager.findSession("x".repeat(10_000))).isNull();
    }

    @Test
    void idThatAClientBringsAgainIsThatOfTheNewSessionEverywhere() {
        for (TomcatNode node : List.of(a, b, a)) {
            Session session = node.manager.createSession("brought");
            session.getSession().setAttribute("at", node.name);
            for (int change = 0; change < 5; change++) {
                session.getSession().setAttribute("change", change);
            }
            assertThat(at(a, session).getAttribute("at")).isEqualTo(node.name);
            assertThat(at(b, session).getAttribute("at")).isEqualTo(node.name);
            assertThat(a.manager.getActiveSessions()).isEqualTo(1);
            assertThat(b.manager.getActiveSessions()).isEqualTo(1);
        }
        b.manager.findSession("brought").expire();
        assertThat(a.manager.findSession("brought")).isNull();
        assertThat(b.manager.findSession("brought")).isNull();
    }

    @Test
    void endedSessionRefusesEverything() {
        TuttiSession session = create();
        HttpSession facade = session.getSession();
        facade.invalidate();
        assertThatThrownBy(facade::invalidate).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> facade.getAttribute("x")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> facade.setAttribute("x", "1")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(facade::getAttributeNames).isInstanceOf(IllegalStateException.class);
        assertThat(session.isValid()).isFalse();
    }

    @Test
    void listenerAddedWhileASessionExpiresIsHarmless() {
        TuttiSession session = create();
        AtomicInteger heard = new AtomicInteger();
        session.addSessionListener(event -> {
            heard.incrementAndGet();
            session.addSessionListener(late -> heard.incrementAndGet());
        });
        session.expire();
        assertThat(heard).hasValue(1);
    }

    /** Session listener that is replicated with its session. */
    static final class Travelling implements SessionListener, Serializable {
        private static final long serialVersionUID = 1;
        static final AtomicInteger HEARD = new AtomicInteger();

        @Override
        public void sessionEvent(SessionEvent event) {
            HEARD.incrementAndGet();
        }
    }

    @Test
    void serializableSessionListenerGoesAlong() {
        a.close();
        b.close();
        TuttiManager first = TomcatNode.patientManager(cluster.source("c"));
        TuttiManager second = TomcatNode.patientManager(cluster.source("d"));
        a = new TomcatNode("c", directory, first, Map.of(), node -> first.setAllowedClasses("dev.tutti.tomcat.*"));
        b = new TomcatNode("d", directory, second, Map.of(), node -> second.setAllowedClasses("dev.tutti.tomcat.*"));
        Travelling.HEARD.set(0);
        TuttiSession session = create();
        session.addSessionListener(new Travelling());
        b.manager.findSession(session.getId()).expire();
        assertThat(Travelling.HEARD).hasValue(1);
    }

    @Test
    void concurrentExpiryTellsListenersOnce() throws Exception {
        AtomicInteger destroyed = new AtomicInteger();
        a.context.setApplicationLifecycleListeners(new Object[] {new HttpSessionListener() {
            @Override
            public void sessionDestroyed(HttpSessionEvent event) {
                destroyed.incrementAndGet();
            }
        }});
        TuttiSession session = create();
        session.getSession().setAttribute("x", "1");
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int index = 0; index < 20; index++) {
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                session.expire();
            }));
        }
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(destroyed).hasValue(1);
        assertThat(b.manager.findSession(session.getId())).isNull();
    }

    @Test
    void attributeSetWhileASessionEndsIsUnboundAgain() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        TuttiSession session = create();
        HttpSession facade = session.getSession();
        facade.setAttribute("x", new HttpSessionBindingListener() {
            @Override
            public void valueUnbound(HttpSessionBindingEvent event) {
                heard.add("unbound");
                heard.add(session.isValid() ? "valid" : "ended");
            }
        });
        facade.invalidate();
        assertThat(heard).containsExactly("unbound", "ended");
    }

    @Test
    void managerShowsAllSessionsWhicheverNodeServesThem() {
        TuttiSession session = create();
        session.getSession().setAttribute("x", "1");
        assertThat(b.manager.getActiveSessions()).isEqualTo(1);
        assertThat(b.manager.findSessions()).hasSize(1);
        assertThat(b.manager.listSessionIds().strip()).isEqualTo(session.getId());
        assertThat(b.manager.getSessionAttribute(session.getId(), "x")).isEqualTo("1");
        b.manager.expireSession(session.getId());
        assertThat(a.manager.getActiveSessions()).isZero();
        assertThat(b.manager.getExpiredSessions()).isEqualTo(1);
        assertThat(a.manager.getExpiredSessions()).isZero();
    }

    @Test
    void attributesAreFilteredAsConfigured() {
        a.manager.setSessionAttributeNameFilter("shared.*");
        TuttiSession session = create();
        session.getSession().setAttribute("shared1", "1");
        session.getSession().setAttribute("local", "1");
        assertThat(Collections.list(session.getSession().getAttributeNames())).contains("local", "shared1");
        assertThat(Collections.list(at(b, session).getAttributeNames())).containsExactly("shared1");
    }

    @Test
    void distributableApplicationIsToldOfAttributesThatCannotBe() {
        a.context.setDistributable(true);
        TuttiSession session = create();
        assertThatThrownBy(() -> session.getSession().setAttribute("x", new Object()))
                .isInstanceOf(IllegalArgumentException.class);
        session.getSession().setAttribute("y", "1");
        assertThat(Collections.list(at(b, session).getAttributeNames())).containsExactly("y");
    }

    @Test
    void codecIsTheUsersChoice() {
        a.close();
        b.close();
        TuttiManager first = TomcatNode.patientManager(cluster.source("c"));
        TuttiManager second = TomcatNode.patientManager(cluster.source("d"));
        a = new TomcatNode("c", directory, first, Map.of(), node -> first.setCodec(TextCodec.class.getName()));
        b = new TomcatNode("d", directory, second, Map.of(), node -> second.setSessionCodec(new TextCodec()));
        TuttiSession session = create();
        session.getSession().setAttribute("x", 5);
        assertThat(at(b, session).getAttribute("x")).isEqualTo("text 5");
    }

    /** Codec that encodes every value as text. */
    public static final class TextCodec implements SessionCodec {
        @Override
        public byte[] encode(Object value) {
            return value.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }

        @Override
        public Object decode(byte[] bytes, ClassLoader classes) {
            return "text " + new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    @Test
    void settingsThatAreWrongSayWhatWouldBeRight() {
        TuttiManager manager = new TuttiManager();
        assertThatThrownBy(() -> manager.setSaveMode("sometimes")).hasMessageContaining("on-set, on-get, always");
        assertThatThrownBy(() -> manager.setAcknowledgement("two")).hasMessageContaining("all, one, none");
        assertThatThrownBy(() -> manager.setPort(70_000)).hasMessageContaining("65535");
        assertThatThrownBy(() -> manager.setAcknowledgementTimeout("2")).hasMessageContaining("duration");
        assertThatThrownBy(() -> manager.setAllowedClasses("*")).hasMessageContaining("com.shop");
        assertThatThrownBy(() -> manager.setSettings("window")).hasMessageContaining("name=value");
    }
}
