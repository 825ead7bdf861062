package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionAttributeListener;
import jakarta.servlet.http.HttpSessionBindingEvent;
import jakarta.servlet.http.HttpSessionBindingListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listeners of sessions and of attributes: each event is heard once, where it happens. */
class SessionListenersTest {

    private final Browser browser = new Browser();
    private final Shop shop;
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    SessionListenersTest(@TempDir Path directory) {
        shop = new Shop(directory);
    }

    @AfterEach
    void stop() {
        shop.close();
    }

    /** Records events with the node at which they happen. */
    private final class Recorder {
        void listenAt(TomcatNode node) {
            node.context.setApplicationLifecycleListeners(new Object[] {new HttpSessionListener() {
                @Override
                public void sessionCreated(HttpSessionEvent event) {
                    events.add(node.name + " created");
                }

                @Override
                public void sessionDestroyed(HttpSessionEvent event) {
                    events.add(node.name + " destroyed");
                }
            }});
            node.context.setApplicationEventListeners(new Object[] {new HttpSessionAttributeListener() {
                @Override
                public void attributeAdded(HttpSessionBindingEvent event) {
                    events.add(node.name + " added " + event.getName());
                }

                @Override
                public void attributeRemoved(HttpSessionBindingEvent event) {
                    events.add(node.name + " removed " + event.getName());
                }

                @Override
                public void attributeReplaced(HttpSessionBindingEvent event) {
                    events.add(node.name + " replaced " + event.getName() + " " + event.getValue());
                }
            }});
        }
    }

    /** Attribute that listens to all events about itself. */
    static final class Listening implements HttpSessionActivationListener, HttpSessionBindingListener, Serializable {
        private static final long serialVersionUID = 1;
        static final List<String> HEARD = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void sessionWillPassivate(HttpSessionEvent event) {
            HEARD.add("passivate");
        }

        @Override
        public void sessionDidActivate(HttpSessionEvent event) {
            HEARD.add("activate " + (event.getSession().getAttribute("x") != null));
        }

        @Override
        public void valueBound(HttpSessionBindingEvent event) {
            HEARD.add("bound");
        }

        @Override
        public void valueUnbound(HttpSessionBindingEvent event) {
            HEARD.add("unbound");
        }
    }

    @Test
    void expiryHappensOnceAtThePrimary() {
        List<TomcatNode> nodes = shop.startThree();
        Recorder recorder = new Recorder();
        nodes.forEach(node -> recorder.listenAt(node));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        shop.page("/short", (request, response) -> request.getSession().setMaxInactiveInterval(1));
        // The last request to end is the last use.
        until("the first request has ended", nodes.get(0)::isIdle);
        browser.get(nodes.get(1), "/short");
        until("session has expired", () -> {
            nodes.forEach(node -> node.context.backgroundProcess());
            return nodes.stream().allMatch(node -> node.manager.getActiveSessions() == 0);
        });
        nodes.forEach(node -> node.context.backgroundProcess());
        assertThat(events).containsExactly("a created", "a added x", "b destroyed", "b removed x");
    }

    @Test
    void orphanExpiresOnceAfterItsPrimaryCrashed() {
        List<TomcatNode> nodes = shop.startThree();
        Recorder recorder = new Recorder();
        nodes.forEach(node -> recorder.listenAt(node));
        shop.page("/short", (request, response) -> request.getSession().setMaxInactiveInterval(1));
        browser.get(nodes.get(0), "/short");
        shop.kill(nodes.get(0));
        until("session has expired", () -> {
            nodes.get(1).context.backgroundProcess();
            nodes.get(2).context.backgroundProcess();
            return nodes.get(1).manager.getActiveSessions() + nodes.get(2).manager.getActiveSessions() == 0;
        });
        assertThat(events).hasSize(2).startsWith("a created");
    }

    @Test
    void attributeListenersHearOfTheActingNodeOnlyAndOfTheOldValue() {
        List<TomcatNode> nodes = shop.startThree();
        nodes.forEach(node -> new Recorder().listenAt(node));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        browser.get(nodes.get(1), "/set?name=x&value=2");
        browser.get(nodes.get(2), "/end");
        assertThat(events)
                .containsExactly("a created", "a added x", "b replaced x 1", "c destroyed", "c removed x");
    }

    @Test
    void attributeHearsOfBindingOnceAndOfActivationWhereItIsFirstUsed() {
        Listening.HEARD.clear();
        Consumer<TomcatNode> allow = node -> {
            node.manager.setAllowedClasses("dev.tutti.tomcat.*");
            node.manager.setSaveMode("on-set");
        };
        TomcatNode a = shop.start("a", allow);
        TomcatNode b = shop.start("b", allow);
        Shop.awaitView(List.of(a, b));
        shop.page("/listening", (request, response) -> request.getSession().setAttribute("x", new Listening()));
        browser.get(a, "/listening");
        assertThat(Listening.HEARD).containsExactly("bound", "passivate", "activate true");
        browser.get(b, "/get?name=x");
        browser.get(b, "/get?name=x");
        assertThat(Listening.HEARD).containsExactly("bound", "passivate", "activate true", "activate true");
        browser.get(b, "/end");
        assertThat(Listening.HEARD).endsWith("unbound").hasSize(5);
    }
}
