package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionAttributeListener;
import jakarta.servlet.http.HttpSessionBindingEvent;
import jakarta.servlet.http.HttpSessionBindingListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionIdListener;
import jakarta.servlet.http.HttpSessionListener;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three Tomcats in one process, real HTTP, and a group that can be cut and stopped. */
class SessionFailoverTest {

    private static final Map<String, Object> HELD = new ConcurrentHashMap<>();

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final List<TomcatNode> running = new ArrayList<>();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final Browser browser = new Browser();

    @TempDir
    Path directory;

    SessionFailoverTest() {
        pages.put("/set", (request, response) -> {
            request.getSession().setAttribute(request.getParameter("name"), request.getParameter("value"));
            response.getWriter().print("set");
        });
        pages.put("/get", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter()
                    .print(session == null ? "no session" : session.getAttribute(request.getParameter("name")));
        });
        pages.put("/names", (request, response) ->
                response.getWriter().print(new java.util.TreeSet<>(Collections.list(request.getSession().getAttributeNames()))));
        pages.put("/add", (request, response) -> response.getWriter().print(add(request)));
        pages.put("/cart", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : session.getAttribute("cart"));
        });
        pages.put("/end", (request, response) -> request.getSession().invalidate());
    }

    /** Puts an item into the cart, in place if there is one. */
    private static int add(HttpServletRequest request) {
        HttpSession session = request.getSession();
        @SuppressWarnings("unchecked")
        List<String> cart = (List<String>) session.getAttribute("cart");
        if (cart == null) {
            cart = new ArrayList<>();
            session.setAttribute("cart", cart);
        }
        cart.add(request.getParameter("item"));
        return cart.size();
    }

    private TomcatNode start(String name) {
        return start(name, node -> {});
    }

    private TomcatNode start(String name, Consumer<TomcatNode> settings) {
        TuttiManager manager = TomcatNode.patientManager(cluster.source(name));
        TomcatNode node = new TomcatNode(name, directory, manager, pages, settings);
        running.add(node);
        return node;
    }

    private List<TomcatNode> startThree() {
        List<TomcatNode> nodes = List.of(start("a"), start("b"), start("c"));
        awaitView(nodes);
        return nodes;
    }

    private static void awaitView(List<TomcatNode> nodes) {
        for (TomcatNode node : nodes) {
            until(
                    node.name + " sees " + nodes.size() + " members",
                    () -> ((List<?>) node.manager.status().get("members")).size() == nodes.size()
                            && node.manager.status().get("state-complete").equals(true));
        }
    }

    /** Crashes a node as seen by the others: they no longer hear of it, and it gets no requests. */
    private void kill(TomcatNode node) {
        cluster.crash(node.name);
    }

    @Test
    void lastAccessIsTheLastUseAtAnyNode() {
        pages.put("/last", (request, response) ->
                response.getWriter().print(request.getSession().getLastAccessedTime()));
        TomcatNode a = start("a");
        TomcatNode b = start("b");
        awaitView(List.of(a, b));
        browser.get(b, "/add?item=1");
        long atB = System.currentTimeMillis();
        until("the clock has moved on", () -> System.currentTimeMillis() > atB + 50);
        long atA = System.currentTimeMillis();
        browser.get(a, "/add?item=2");
        TuttiSession session = b.manager.sessionHere(browser.session());
        assertThat(session.getLastAccessedTimeInternal()).isBetween(atA - 5, System.currentTimeMillis());
        assertThat(Long.parseLong(browser.get(b, "/last"))).isBetween(atA - 5, System.currentTimeMillis());
    }

    @AfterEach
    void stopAll() {
        HELD.clear();
        running.forEach(TomcatNode::close);
    }

    @Test
    void cartIsCompleteWhicheverNodeServesAndWhicheverIsKilled() {
        List<TomcatNode> nodes = new ArrayList<>(startThree());
        Random random = new Random(1);
        Map<Browser, List<String>> carts = new LinkedHashMap<>();
        for (int index = 0; index < 20; index++) {
            carts.put(new Browser(), new ArrayList<>());
        }
        for (int round = 0; round < 12; round++) {
            if (round == 4 || round == 8) {
                kill(nodes.remove(random.nextInt(nodes.size())));
            }
            for (Map.Entry<Browser, List<String>> entry : carts.entrySet()) {
                TomcatNode node = nodes.get(random.nextInt(nodes.size()));
                String item = "item" + round;
                entry.getValue().add(item);
                assertThat(entry.getKey().get(node, "/add?item=" + item))
                        .isEqualTo("" + entry.getValue().size());
            }
        }
        for (Map.Entry<Browser, List<String>> entry : carts.entrySet()) {
            for (TomcatNode node : nodes) {
                assertThat(entry.getKey().get(node, "/cart")).isEqualTo(entry.getValue().toString());
            }
        }
    }

    @Test
    void objectChangedInPlaceIsReplicatedWhenItWasRead() {
        List<TomcatNode> nodes = startThree();
        browser.get(nodes.get(0), "/add?item=1");
        browser.get(nodes.get(0), "/add?item=2");
        assertThat(browser.get(nodes.get(1), "/cart")).isEqualTo("[1, 2]");
        long deltas = (Long) nodes.get(1).manager.status().get("deltas-sent");
        assertThat(browser.get(nodes.get(1), "/cart")).isEqualTo("[1, 2]");
        assertThat(nodes.get(1).manager.status().get("deltas-sent")).as("nothing changed").isEqualTo(deltas);
    }

    @Test
    void objectChangedInPlaceStaysHereWhenOnlyWhatIsSetIsCompared() {
        TomcatNode a = start("a", node -> node.manager.setSaveMode("on-set"));
        TomcatNode b = start("b");
        awaitView(List.of(a, b));
        browser.get(a, "/add?item=1");
        browser.get(a, "/add?item=2");
        assertThat(browser.get(b, "/cart")).isEqualTo("[1]");
    }

    @Test
    void removedAttributeStaysRemoved() {
        List<TomcatNode> nodes = startThree();
        pages.put("/remove", (request, response) -> request.getSession().removeAttribute("x"));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        browser.get(nodes.get(0), "/set?name=y&value=1");
        browser.get(nodes.get(1), "/remove");
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/get?name=x")).isEqualTo("null");
            assertThat(browser.get(node, "/names")).isEqualTo("[y]");
        }
    }

    @Test
    void restartedNodeHasAllSessions() {
        List<TomcatNode> nodes = startThree();
        browser.get(nodes.get(0), "/add?item=1");
        kill(nodes.get(0));
        kill(nodes.get(1));
        browser.get(nodes.get(2), "/add?item=2");
        TomcatNode again = start("a");
        assertThat(browser.get(again, "/cart")).as("served at once, asked for or waited for").isEqualTo("[1, 2]");
        awaitView(List.of(nodes.get(2), again));
        assertThat(again.manager.getActiveSessions()).isEqualTo(1);
        assertThat(again.manager.getSessionIdsFull()).containsExactly(browser.session());
    }

    @Test
    void contextIsRedeployedUnderLoadAndNoCartLosesAnything() throws Exception {
        List<TomcatNode> nodes = startThree();
        CountDownLatch enough = new CountDownLatch(60);
        CompletableFuture<List<String>> load = CompletableFuture.supplyAsync(() -> {
            List<String> added = new ArrayList<>();
            int index = 0;
            while (enough.getCount() > 0) {
                TomcatNode node = nodes.get(1 + index % 2);
                String item = "" + index++;
                if (browser.get(node, "/add?item=" + item).equals("" + (added.size() + 1))) {
                    added.add(item);
                }
                enough.countDown();
            }
            return added;
        });
        for (int round = 0; round < 2; round++) {
            nodes.getFirst().context.stop();
            nodes.getFirst().context.start();
        }
        List<String> added = load.get(60, TimeUnit.SECONDS);
        assertThat(added).hasSize(60);
        awaitView(nodes);
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/cart")).isEqualTo(added.toString());
        }
    }

    @Test
    void idChangeIsSeenEverywhereAndTheOldIdIsDead() {
        List<TomcatNode> nodes = startThree();
        pages.put("/change", (request, response) -> {
            request.getSession().setAttribute("before", "1");
            request.changeSessionId();
            request.getSession().setAttribute("after", "2");
        });
        List<String> changes = Collections.synchronizedList(new ArrayList<>());
        HttpSessionIdListener listener = new HttpSessionIdListener() {
            @Override
            public void sessionIdChanged(HttpSessionEvent event, String oldSessionId) {
                changes.add(oldSessionId);
            }
        };
        nodes.forEach(node -> node.context.setApplicationEventListeners(new Object[] {listener}));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        String before = browser.session();
        browser.get(nodes.get(1), "/change");
        assertThat(browser.session()).isNotEqualTo(before);
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/names")).isEqualTo("[after, before, x]");
            assertThat(new Browser().useSession(before).get(node, "/get?name=x")).isEqualTo("no session");
        }
        assertThat(changes).containsExactly(before);
    }

    @Test
    void invalidatedSessionIsDeadEverywhereBeforeTheResponse() {
        List<TomcatNode> nodes = startThree();
        browser.get(nodes.get(0), "/set?name=x&value=1");
        browser.get(nodes.get(1), "/end");
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/get?name=x")).isEqualTo("no session");
            assertThat(node.manager.getActiveSessions()).isZero();
        }
    }

    @Test
    void asynchronousRequestIsSafeBeforeItsResponse() {
        List<TomcatNode> nodes = startThree();
        pages.put("/async", (request, response) -> {
            HttpSession session = request.getSession();
            session.setAttribute("cart", new ArrayList<>());
            AsyncContext async = request.startAsync();
            async.start(() -> {
                session.setAttribute("late", "value");
                @SuppressWarnings("unchecked")
                List<String> cart = (List<String>) session.getAttribute("cart");
                cart.add("late");
                async.complete();
            });
        });
        browser.get(nodes.get(0), "/async");
        assertThat(browser.get(nodes.get(1), "/get?name=late")).isEqualTo("value");
        assertThat(browser.get(nodes.get(2), "/cart")).isEqualTo("[late]");
    }

    @Test
    void asynchronousDispatchIsSafeBeforeItsResponse() {
        List<TomcatNode> nodes = startThree();
        pages.put("/dispatch", (request, response) -> {
            request.getSession().setAttribute("first", "1");
            AsyncContext async = request.startAsync();
            async.start(() -> async.dispatch("/set?name=second&value=2"));
        });
        assertThat(browser.get(nodes.get(0), "/dispatch")).isEqualTo("set");
        assertThat(browser.get(nodes.get(1), "/names")).isEqualTo("[first, second]");
    }

    @Test
    void changeBeforeAnEarlyFlushIsSafeWhenTheClientHasTheResponse() {
        List<TomcatNode> nodes = startThree();
        CountDownLatch clientHasIt = new CountDownLatch(1);
        for (String how : List.of("length", "close", "stream")) {
            pages.put("/early-" + how, (request, response) -> {
                response.setHeader("Connection", "close");
                request.getSession().setAttribute(how, "set");
                switch (how) {
                    case "length" -> {
                        response.setContentLength(4);
                        response.getWriter().write("done");
                        response.flushBuffer();
                    }
                    case "close" -> {
                        response.getWriter().write("done");
                        response.getWriter().close();
                    }
                    default -> {
                        response.setHeader("Content-Length", "4");
                        response.getOutputStream().write("done".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                        response.getOutputStream().flush();
                    }
                }
                clientHasIt.await(20, TimeUnit.SECONDS);
            });
            assertThat(browser.get(nodes.get(0), "/early-" + how)).isEqualTo("done");
            assertThat(browser.get(nodes.get(1), "/get?name=" + how)).isEqualTo("set");
            assertThat(clientHasIt.getCount()).as("the page has not ended").isEqualTo(1);
        }
        clientHasIt.countDown();
    }

    @Test
    void sessionHeldOutsideARequestIsReplicatedAtOnce() {
        List<TomcatNode> nodes = startThree();
        pages.put("/hold", (request, response) -> {
            request.getSession().setAttribute("x", "1");
            HELD.put("session", request.getSession());
            HELD.put("accessor", request.getSession().getAccessor());
        });
        browser.get(nodes.get(0), "/hold");
        until("request is over", () -> sessionOf(nodes.get(0)).isUnused());
        ((HttpSession) HELD.get("session")).setAttribute("held", "1");
        assertThat(browser.get(nodes.get(1), "/names")).isEqualTo("[held, x]");
        ((HttpSession.Accessor) HELD.get("accessor")).access(session -> session.setAttribute("accessed", "1"));
        assertThat(browser.get(nodes.get(1), "/names")).isEqualTo("[accessed, held, x]");
    }

    private TuttiSession sessionOf(TomcatNode node) {
        return node.manager.sessionHere(browser.session());
    }

    @Test
    void changesAreReplicatedOnDemand() {
        List<TomcatNode> nodes = List.of(start("a", node -> node.manager.setChangeDelay("5 s")), start("b"));
        awaitView(nodes);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        browser.get(nodes.get(0), "/set?name=x&value=1");
        pages.put("/demand", (request, response) -> {
            request.getSession().setAttribute("now", "1");
            seen.add(new Browser().useSession(request.getRequestedSessionId()).get(nodes.get(1), "/get?name=now"));
            ((Runnable) request.getAttribute("dev.tutti.tomcat.replicate")).run();
            seen.add(new Browser().useSession(request.getRequestedSessionId()).get(nodes.get(1), "/get?name=now"));
        });
        browser.get(nodes.get(0), "/demand");
        assertThat(seen).containsExactly("null", "1");
    }

    /** Object that is not serializable. */
    static final class Plain {
        @Override
        public String toString() {
            return "plain";
        }
    }

    /** Object that is serializable, and not on any list of allowed classes. */
    record Strange(String text) implements Serializable {}

    @Test
    void attributeThatCannotBeReplicatedStaysHereAndDoesNotHinderOthers() {
        List<TomcatNode> nodes = startThree();
        pages.put("/bad", (request, response) -> {
            request.getSession().setAttribute("plain", new Plain());
            request.getSession().setAttribute("strange", new Strange("x"));
            request.getSession().setAttribute("hidden", new ArrayList<>(List.of(new HashMap<>(Map.of("k", new Plain())))));
            request.getSession().setAttribute("good", "1");
        });
        browser.get(nodes.get(0), "/bad");
        browser.get(nodes.get(0), "/bad");
        assertThat(browser.get(nodes.get(0), "/names")).isEqualTo("[good, hidden, plain, strange]");
        assertThat(browser.get(nodes.get(0), "/get?name=plain")).isEqualTo("plain");
        assertThat(browser.get(nodes.get(1), "/names")).isEqualTo("[good]");
        @SuppressWarnings("unchecked")
        Map<String, Object> reports = (Map<String, Object>) nodes.get(0).manager.status().get("reports");
        assertThat(reports.keySet()).hasSize(3).anyMatch(report -> report.contains("'strange'"));
    }

    @Test
    void classThatIsAllowedIsReplicated() {
        TomcatNode a = start("a", node -> node.manager.setAllowedClasses("dev.tutti.tomcat.**"));
        TomcatNode b = start("b", node -> node.manager.setAllowedClasses("dev.tutti.tomcat.*"));
        TomcatNode c = start("c");
        awaitView(List.of(a, b, c));
        pages.put("/strange", (request, response) -> request.getSession().setAttribute("x", new Strange("text")));
        browser.get(a, "/strange");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("Strange[text=text]");
        assertThat(browser.get(c, "/get?name=x")).as("refused here").isEqualTo("null");
        assertThat(c.manager.status()).containsEntry("not-decoded", 1L);
        assertThat(browser.get(b, "/get?name=x")).as("kept for those who can read it").isEqualTo("Strange[text=text]");
    }

    @Test
    void classThatCameLaterIsReadThen() throws Exception {
        TomcatNode a = start("a", node -> node.manager.setAllowedClasses("dev.tutti.tomcat.*"));
        HiddenLoader hiding = new HiddenLoader(getClass().getClassLoader(), Strange.class.getName());
        TomcatNode b = start("b", node -> {
            node.manager.setAllowedClasses("dev.tutti.tomcat.*");
            node.context.setParentClassLoader(hiding);
        });
        awaitView(List.of(a, b));
        pages.put("/strange", (request, response) -> {
            request.getSession().setAttribute("x", new Strange("text"));
            request.getSession().setAttribute("y", "1");
        });
        browser.get(a, "/strange");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("null");
        assertThat(browser.get(b, "/get?name=y")).isEqualTo("1");
        hiding.isOpen = true;
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("Strange[text=text]");
    }

    /** Class loader that does not find one class until it is opened. */
    static final class HiddenLoader extends ClassLoader {
        private final String hidden;
        volatile boolean isOpen;

        HiddenLoader(ClassLoader parent, String hidden) {
            super(parent);
            this.hidden = hidden;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(hidden) && !isOpen) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    @Test
    void expiryHappensOnceAtThePrimary() {
        List<TomcatNode> nodes = startThree();
        Recorder recorder = new Recorder();
        nodes.forEach(node -> recorder.listenAt(node));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        pages.put("/short", (request, response) -> request.getSession().setMaxInactiveInterval(1));
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
        List<TomcatNode> nodes = startThree();
        Recorder recorder = new Recorder();
        nodes.forEach(node -> recorder.listenAt(node));
        pages.put("/short", (request, response) -> request.getSession().setMaxInactiveInterval(1));
        browser.get(nodes.get(0), "/short");
        kill(nodes.get(0));
        until("session has expired", () -> {
            nodes.get(1).context.backgroundProcess();
            nodes.get(2).context.backgroundProcess();
            return nodes.get(1).manager.getActiveSessions() + nodes.get(2).manager.getActiveSessions() == 0;
        });
        assertThat(events).hasSize(2).startsWith("a created");
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

    @Test
    void attributeListenersHearOfTheActingNodeOnlyAndOfTheOldValue() {
        List<TomcatNode> nodes = startThree();
        nodes.forEach(node -> new Recorder().listenAt(node));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        browser.get(nodes.get(1), "/set?name=x&value=2");
        browser.get(nodes.get(2), "/end");
        assertThat(events)
                .containsExactly("a created", "a added x", "b replaced x 1", "c destroyed", "c removed x");
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
    void attributeHearsOfBindingOnceAndOfActivationWhereItIsFirstUsed() {
        Listening.HEARD.clear();
        Consumer<TomcatNode> allow = node -> {
            node.manager.setAllowedClasses("dev.tutti.tomcat.*");
            node.manager.setSaveMode("on-set");
        };
        TomcatNode a = start("a", allow);
        TomcatNode b = start("b", allow);
        awaitView(List.of(a, b));
        pages.put("/listening", (request, response) -> request.getSession().setAttribute("x", new Listening()));
        browser.get(a, "/listening");
        assertThat(Listening.HEARD).containsExactly("bound", "passivate", "activate true");
        browser.get(b, "/get?name=x");
        browser.get(b, "/get?name=x");
        assertThat(Listening.HEARD).containsExactly("bound", "passivate", "activate true", "activate true");
        browser.get(b, "/end");
        assertThat(Listening.HEARD).endsWith("unbound").hasSize(5);
    }

    @Test
    void idLeadsToTheNodeThatTookOver() {
        List<TomcatNode> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            nodes.add(start(name, node -> node.tomcat.getEngine().setJvmRoute("route-" + name)));
        }
        awaitView(nodes);
        browser.get(nodes.get(0), "/add?item=1");
        assertThat(browser.session()).endsWith(".route-a");
        String key = browser.session().split("\\.")[0];
        kill(nodes.get(0));
        assertThat(browser.get(nodes.get(1), "/add?item=2")).isEqualTo("2");
        assertThat(browser.session()).isEqualTo(key + ".route-b");
        assertThat(browser.get(nodes.get(1), "/add?item=3")).isEqualTo("3");
        assertThat(browser.get(nodes.get(2), "/cart")).isEqualTo("[1, 2, 3]");
        assertThat(browser.session()).isEqualTo(key + ".route-c");
        assertThat(browser.get(nodes.get(1), "/cart")).as("non-sticky").isEqualTo("[1, 2, 3]");
    }

    @Test
    void requestThatComesBeforeItsSessionAsksForIt() throws Exception {
        List<TomcatNode> nodes = List.of(
                start("a", node -> node.manager.setAcknowledgement("none")),
                start("b", node -> node.manager.setQueryTimeout("20 s")));
        awaitView(nodes);
        cluster.hold("b");
        browser.get(nodes.get(0), "/set?name=x&value=1");
        CompletableFuture<String> early = browser.fetchSoon(nodes.get(1), "/get?name=x").thenApply(got -> got.body());
        until("it is asked for", () -> nodes.get(1).manager.status().get("queries-sent").equals(1L));
        cluster.release("b");
        assertThat(early.get(20, TimeUnit.SECONDS)).isEqualTo("1");
    }

    @Test
    void idsThatNobodyKnowsAreAskedForOnce() {
        List<TomcatNode> nodes = startThree();
        for (int index = 0; index < 5; index++) {
            assertThat(new Browser().useSession("ABCDEF").get(nodes.get(1), "/get?name=x")).isEqualTo("no session");
        }
        assertThat(nodes.get(1).manager.status()).containsEntry("queries-sent", 1L).containsEntry("queries-in-vain", 1L);
    }

    @Test
    void sidesOfAPartitionServeOnAndAgreeAfterwards() {
        List<TomcatNode> nodes = startThree();
        browser.get(nodes.get(0), "/set?name=x&value=0");
        Browser other = new Browser();
        cluster.partition("c");
        until("cut", () -> ((List<?>) nodes.get(2).manager.status().get("members")).size() == 1);
        browser.get(nodes.get(0), "/set?name=left&value=1");
        browser.get(nodes.get(2), "/set?name=right&value=1");
        other.get(nodes.get(2), "/set?name=x&value=1");
        cluster.heal();
        awaitView(nodes);
        for (TomcatNode node : nodes) {
            until("merged at " + node.name, () -> browser.get(node, "/names").equals("[left, right, x]"));
            assertThat(other.get(node, "/get?name=x")).isEqualTo("1");
        }
    }

    @Test
    void stalledMemberSlowsOneRequestDownAndIsWaitedForAgainLater() {
        List<TomcatNode> nodes = List.of(
                start("a", node -> node.manager.setAcknowledgementTimeout("50 ms")), start("b"));
        awaitView(nodes);
        cluster.hold("b");
        for (int index = 0; index < 10; index++) {
            assertThat(browser.get(nodes.get(0), "/add?item=" + index)).isEqualTo("" + (index + 1));
        }
        assertThat(nodes.get(0).manager.status()).containsEntry("wait-timeouts", 1L).containsEntry("members-lagging", 1);
        cluster.release("b");
        until("caught up", () -> nodes.get(0).manager.status().get("members-lagging").equals(0));
        until("all of it at b", () -> browser.get(nodes.get(1), "/cart").equals("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"));
    }

    @Test
    void concurrentRequestsOfOneSessionLoseNoAttribute() {
        List<TomcatNode> nodes = startThree();
        browser.get(nodes.get(0), "/set?name=x&value=1");
        List<CompletableFuture<?>> requests = new ArrayList<>();
        for (int index = 0; index < 60; index++) {
            requests.add(browser.fetchSoon(nodes.get(index % 3), "/set?name=n" + index + "&value=1"));
        }
        CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new)).join();
        String[] names = browser.get(nodes.get(1), "/names").split(", ");
        assertThat(names).hasSize(61);
        for (TomcatNode node : nodes) {
            until("same at " + node.name, () -> Arrays.equals(names, browser.get(node, "/names").split(", ")));
        }
    }

    @Test
    void sessionsAreLimitedAsConfigured() {
        TomcatNode a = start("a", node -> node.manager.setMaxActiveSessions(1));
        assertThat(browser.get(a, "/set?name=x&value=1")).isEqualTo("set");
        assertThat(new Browser().get(a, "/set?name=x&value=1")).isEqualTo("status 500");
        assertThat(a.manager.getRejectedSessions()).isEqualTo(1);
    }
}
