package dev.tutti.undertow;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.blocks.session.Acknowledgement;
import dev.tutti.blocks.session.SaveMode;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.MetricsProvider;
import dev.tutti.testing.Browser;
import dev.tutti.undertow.UndertowNode.Page;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.ListenerInfo;
import io.undertow.servlet.util.ImmediateInstanceFactory;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Undertows in one process, whose applications have the same sessions. */
class TuttiSessionsTest {

    private final String cluster = "test-" + UUID.randomUUID();
    private final List<UndertowNode> running = new ArrayList<>();
    private final Map<String, Page> pages = new ConcurrentHashMap<>(Pages.all());
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Browser browser = new Browser();
    private UnaryOperator<TuttiSessions> settings = UnaryOperator.identity();

    @AfterEach
    void close() {
        running.forEach(UndertowNode::close);
    }

    private UndertowNode start(String name) {
        return start(name, application -> {});
    }

    private UndertowNode start(String name, Consumer<DeploymentInfo> preparation) {
        Node node = Node.local().cluster(cluster).name(name).set("records.directory", "memory").start();
        UndertowNode server = new UndertowNode(node, pages, settings, application -> {
            HttpSessionListener listener = new HttpSessionListener() {
                @Override
                public void sessionCreated(HttpSessionEvent event) {
                    events.add("created at " + name);
                }

                @Override
                public void sessionDestroyed(HttpSessionEvent event) {
                    events.add("destroyed at " + name + " with " + event.getSession().getAttribute("x"));
                }
            };
            application.addListener(new ListenerInfo(HttpSessionListener.class, new ImmediateInstanceFactory<>(listener)));
            preparation.accept(application);
        });
        running.add(server);
        return server;
    }

    private static Map<String, Long> numbers(UndertowNode server) {
        NodeInspection inspection = server.node().inspection();
        assertThat(inspection.components()).hasSize(1);
        assertThat(inspection.components().getFirst().labels()).containsEntry("group", "sessions:/shop");
        Map<String, Long> values = inspection.components().getFirst().part().values();
        assertThat(ServiceLoader.load(MetricsProvider.class).stream().flatMap(provider -> provider.get().metrics().stream()).map(Metric::name))
                .as("definitions")
                .containsAll(values.keySet());
        return values;
    }

    @Test
    void aRequestFindsAtEachNodeWhatWasWrittenAtAny() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        for (int turn = 2; turn < 50; turn++) {
            UndertowNode next = turn % 2 == 0 ? b : a;
            assertThat(browser.get(next, "/get?name=x")).isEqualTo("" + (turn - 1));
            browser.get(next, "/set?name=x&value=" + turn);
        }
        assertThat(browser.get(a, "/remove?name=x")).isEmpty();
        assertThat(browser.get(b, "/names")).isEqualTo("[]");
        assertThat(events).containsExactly("created at a");
        until("the end of requests", () -> numbers(b).get("in-use") == 0);
        assertThat(numbers(b)).containsEntry("sessions", 1L).containsEntry("not-written", 0L);
    }

    @Test
    void anObjectThatIsModifiedIsWrittenWithoutBeingSet() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        assertThat(browser.get(a, "/add?item=book")).isEqualTo("1");
        assertThat(browser.get(b, "/add?item=pen")).isEqualTo("2");
        assertThat(browser.get(a, "/get?name=cart")).isEqualTo("[book, pen]");
    }

    @Test
    void withSaveModeOnSetModificationsAreNotLookedFor() {
        settings = sessions -> sessions.saveMode(SaveMode.ON_SET);
        UndertowNode a = start("a");
        browser.get(a, "/add?item=book");
        browser.get(a, "/add?item=pen");
        assertThat(browser.get(a, "/get?name=cart")).isEqualTo("[book]");
    }

    @Test
    void requestsAtTwoNodesLoseNoneOfEachOthersAttributes() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        pages.put("/slow", (request, response) -> {
            request.getSession().getAttribute("x");
            both.countDown();
            assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
            request.getSession().setAttribute(request.getParameter("name"), "kept");
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        CompletableFuture<HttpResponse<String>> atA = browser.getSoon(a.url("/slow?name=fromA"));
        CompletableFuture<HttpResponse<String>> atB = browser.getSoon(b.url("/slow?name=fromB"));
        CompletableFuture.allOf(atA, atB).get(30, TimeUnit.SECONDS);
        assertThat(browser.get(a, "/names")).isEqualTo("[fromA, fromB, x]");
        assertThat(browser.get(b, "/names")).isEqualTo("[fromA, fromB, x]");
    }

    @Test
    void requestsOfOneNodeHaveTheSameObjectsAndSeeWhatOtherNodesWrite() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        pages.put("/stream", (request, response) -> {
            request.getSession().setAttribute("own", new ArrayList<>(List.of("first")));
            response.flushBuffer();
            begun.countDown();
            assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
            response.getWriter().print(request.getSession().getAttribute("x") + " " + request.getSession().getAttribute("own"));
        });
        pages.put("/own", (request, response) -> {
            @SuppressWarnings("unchecked")
            List<String> own = (List<String>) request.getSession().getAttribute("own");
            own.add("second");
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        CompletableFuture<HttpResponse<String>> stream = browser.getSoon(a.url("/stream"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        browser.get(b, "/set?name=x&value=2");
        assertThat(browser.get(a, "/get?name=x")).as("a request beside the stream").isEqualTo("2");
        browser.get(a, "/own");
        assertThat(browser.get(b, "/get?name=own")).isEqualTo("[first, second]");
        end.countDown();
        assertThat(stream.get(30, TimeUnit.SECONDS).body()).isEqualTo("2 [first, second]");
    }

    @Test
    void manyRequestsOfOneSessionAtOnceAllFindIt() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        String id = browser.session();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int request = 0; request < 200; request++) {
            answers.add(browser.getSoon((request % 3 == 0 ? b : a).url(request % 2 == 0 ? "/get?name=x" : "/set?name=y" + request + "&value=1")));
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer.join().body()).isIn("1", "set"));
        assertThat(browser.session()).isEqualTo(id);
        assertThat(browser.get(b, "/names").split(", ")).hasSize(101);
    }

    /** Notes, when its late change is about to be written for the first time, whether the client has the end of the response already. */
    static final class Gate implements Serializable {
        private static final long serialVersionUID = 1L;
        static final CountDownLatch END = new CountDownLatch(1);
        static final CompletableFuture<Boolean> HAD_END = new CompletableFuture<>();
        private String value = "early";

        private void writeObject(ObjectOutputStream out) throws IOException {
            if (value.equals("late") && !HAD_END.isDone()) {
                try {
                    HAD_END.complete(END.await(200, TimeUnit.MILLISECONDS));
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

    @Test
    void changesAfterTheFirstPartOfAResponseAreWrittenBeforeItEnds() throws Exception {
        pages.put("/late", (request, response) -> {
            Gate gate = new Gate();
            request.getSession().setAttribute("x", gate);
            response.getWriter().print("begun ");
            response.flushBuffer();
            gate.value = "late";
            response.getWriter().print("ended");
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=before");
        try (InputStream body = browser.send(a.url("/late"), HttpResponse.BodyHandlers.ofInputStream()).get(30, TimeUnit.SECONDS).body()) {
            assertThat(new String(body.readNBytes("begun ended".length()), StandardCharsets.US_ASCII)).isEqualTo("begun ended");
            Gate.END.countDown();
            assertThat(Gate.HAD_END.get(30, TimeUnit.SECONDS)).isFalse();
            assertThat(browser.get(b, "/get?name=x")).isEqualTo("late");
        }
    }

    @Test
    void anInvalidatedSessionEndsEverywhereOnce() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        pages.put("/slow", (request, response) -> {
            begun.countDown();
            assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
            request.getSession().setAttribute("x", "too late");
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        Browser old = new Browser().useSessionOf(browser);
        CompletableFuture<HttpResponse<String>> slow = browser.getSoon(b.url("/slow"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        browser.get(a, "/invalidate");
        assertThat(old.get(a, "/get?name=x")).isEqualTo("no session");
        assertThat(old.get(b, "/get?name=x")).as("although a request there still has it").isEqualTo("no session");
        end.countDown();
        slow.get(30, TimeUnit.SECONDS);
        assertThat(old.get(b, "/get?name=x")).isEqualTo("no session");
        assertThat(old.get(a, "/get?name=x")).isEqualTo("no session");
        assertThat(events).containsExactly("created at a", "destroyed at a with 1");
        assertThat(numbers(b)).containsEntry("sessions", 0L).containsEntry("discarded", 1L);
    }

    @Test
    void aChangedIdTakesAllAlong() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(b, "/set?name=x&value=1");
        Browser old = new Browser().useSessionOf(browser);
        browser.get(a, "/rename");
        assertThat(browser.session()).isNotEqualTo(old.session());
        assertThat(browser.get(b, "/names")).isEqualTo("[after, before, x]");
        assertThat(browser.get(a, "/names")).isEqualTo("[after, before, x]");
        assertThat(old.get(a, "/names")).isEqualTo("no session");
        assertThat(old.get(b, "/names")).isEqualTo("no session");
        assertThat(events).containsExactly("created at b");
    }

    @Test
    void aSessionThatIsNewWhenItsIdChangesIsWrittenUnderTheNewOne() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/rename");
        assertThat(browser.get(b, "/names")).isEqualTo("[after, before]");
    }

    @Test
    void aSessionExpiresAtAllNodesAndListenersHearOfItOnce() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(b, "/set?name=x&value=1");
        browser.get(b, "/interval?seconds=1");
        long begun = System.nanoTime();
        until("the end", () -> events.size() > 1);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(900));
        assertThat(browser.get(a, "/get?name=x")).isEqualTo("no session");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("no session");
        assertThat(events).as("at the oldest member, with the attributes").containsExactly("created at b", "destroyed at a with 1");
        assertThat(numbers(a)).containsEntry("expired", 1L);
        assertThat(numbers(b)).containsEntry("expired", 0L);
    }

    @Test
    void aSessionThatALongRequestUsesDoesNotExpire() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        pages.put("/stream", (request, response) -> {
            request.getSession().setMaxInactiveInterval(3);
            response.getWriter().print("begun");
            response.flushBuffer();
            begun.countDown();
            assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        CompletableFuture<HttpResponse<String>> stream = browser.getSoon(b.url("/stream"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        long begunNanos = System.nanoTime();
        until("more than the interval", () -> System.nanoTime() - begunNanos > TimeUnit.SECONDS.toNanos(4));
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("1");
        assertThat(browser.get(a, "/get?name=x")).isEqualTo("1");
        end.countDown();
        stream.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aNodeThatStartsHasAllSessionsAndOneThatStopsLosesNone() {
        UndertowNode a = start("a");
        browser.get(a, "/set?name=x&value=1");
        browser.get(a, "/add?item=book");
        UndertowNode b = start("b");
        running.remove(a);
        a.close();
        assertThat(browser.get(b, "/names")).isEqualTo("[cart, x]");
        UndertowNode again = start("a");
        running.remove(b);
        b.close();
        assertThat(browser.get(again, "/get?name=cart")).isEqualTo("[book]");
        assertThat(events).as("a stop ends no session").containsExactly("created at a");
    }

    @Test
    void anApplicationThatIsStoppedLeavesItsGroupAndJoinsAgain() throws Exception {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(b, "/set?name=x&value=1");
        b.stopApplication();
        assertThat(b.node().inspection().components()).isEmpty();
        assertThat(browser.get(a, "/set?name=y&value=2")).isEqualTo("set");
        b.startApplication();
        assertThat(browser.get(b, "/names")).isEqualTo("[x, y]");
    }

    @Test
    void aStopWritesWhatRunningRequestsHaveChanged() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        pages.put("/slow", (request, response) -> {
            request.getSession().setAttribute("x", "changed");
            begun.countDown();
            assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(b, "/set?name=x&value=1");
        CompletableFuture<HttpResponse<String>> slow = browser.getSoon(a.url("/slow"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        a.stopApplication();
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("changed");
        end.countDown();
        slow.handle((response, failure) -> "over").get(30, TimeUnit.SECONDS);
    }

    /** A class that can't be replicated. */
    static final class Connection {}

    /** A class that is allowed, but has one in it that is not. */
    static final class Order implements Serializable {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // it is what the test is about
        final Object thing;

        Order(Object thing) {
            this.thing = thing;
        }
    }

    @Test
    void anAttributeThatCanNotBeReplicatedIsRefusedWhereItIsSet() {
        pages.put("/refused", (request, response) -> {
            request.getSession().setAttribute("x", "kept");
            assertThatThrownBy(() -> request.getSession().setAttribute("connection", new Connection()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'connection'")
                    .hasMessageContaining("Connection does not implement java.io.Serializable");
            assertThatThrownBy(() -> request.getSession().setAttribute("handler", new Order(new LogRecord(Level.INFO, ""))))
                    .hasMessageContaining("java.util.logging.LogRecord is not allowed")
                    .hasMessageContaining("allowedClasses of TuttiSessions");
            response.getWriter().print("refused");
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        assertThat(browser.get(a, "/refused")).isEqualTo("refused");
        assertThat(browser.get(b, "/names")).isEqualTo("[x]");
    }

    @Test
    void anAttributeThatBecomesUnwritableKeepsItsLastValueAndOthersAreWritten() {
        pages.put("/spoil", (request, response) -> {
            @SuppressWarnings("unchecked")
            List<Object> cart = (List<Object>) request.getSession().getAttribute("cart");
            cart.add(new Connection());
            request.getSession().setAttribute("x", "written");
        });
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/add?item=book");
        browser.get(a, "/spoil");
        assertThat(browser.get(b, "/get?name=cart")).isEqualTo("[book]");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("written");
        assertThat(numbers(a).get("not-encoded")).isPositive();
    }

    @Test
    void objectsThatANodeDoesNotAllowAreNotReadThereAndHarmNothingElse() {
        pages.put("/order", (request, response) -> request.getSession().setAttribute("order", new Order("book")));
        UndertowNode a = start("a");
        settings = sessions -> sessions.allowedClasses("dev.tutti.other.*");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        browser.get(a, "/order");
        assertThat(browser.get(b, "/get?name=order")).isEqualTo("null");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("1");
        assertThat(browser.get(b, "/rename")).isEmpty();
        assertThat(browser.get(a, "/names")).as("kept by the group").isEqualTo("[after, before, order, x]");
        assertThat(numbers(b).get("not-decoded")).isPositive();
    }

    /** A class of the application, which its class loader alone defines. */
    static final class Cart implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** The class loader of an application with a {@link Cart} of its own. */
    private static final class Application extends ClassLoader {

        Application() throws java.io.IOException {
            super(TuttiSessionsTest.class.getClassLoader());
            String file = Cart.class.getName().replace('.', '/') + ".class";
            try (InputStream in = TuttiSessionsTest.class.getClassLoader().getResourceAsStream(file)) {
                byte[] bytes = in.readAllBytes();
                defineClass(Cart.class.getName(), bytes, 0, bytes.length);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> own = name.equals(Cart.class.getName()) ? findLoadedClass(name) : null;
            return own == null ? super.loadClass(name, resolve) : own;
        }
    }

    @Test
    void objectsAreOfTheClassesOfTheApplication() throws Exception {
        pages.put("/put", (request, response) -> {
            ClassLoader application = request.getServletContext().getClassLoader();
            var constructor = application.loadClass(Cart.class.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            request.getSession().setAttribute("cart", constructor.newInstance());
        });
        pages.put("/loader", (request, response) -> response.getWriter()
                .print(request.getSession().getAttribute("cart").getClass().getClassLoader() == request.getServletContext().getClassLoader()));
        ClassLoader classesOfA = new Application();
        ClassLoader classesOfB = new Application();
        UndertowNode a = start("a", application -> application.setClassLoader(classesOfA));
        UndertowNode b = start("b", application -> application.setClassLoader(classesOfB));
        browser.get(a, "/put");
        assertThat(browser.get(b, "/loader")).isEqualTo("true");
        assertThat(browser.get(a, "/loader")).isEqualTo("true");
    }

    @Test
    void withoutAcknowledgementChangesArriveALittleLater() {
        settings = sessions -> sessions.acknowledgement(Acknowledgement.NONE).acknowledgementTimeout(Duration.ofSeconds(5)).group("carts");
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        until("at the other", () -> browser.get(b, "/get?name=x").equals("1"));
        assertThat(a.node().inspection().components().getFirst().labels()).containsEntry("group", "carts:/shop");
    }

    @Test
    void aStickyBalancerReadsTheNodeInTheCookieAndFollowsTheSession() {
        settings = sessions -> sessions.route("node-a");
        UndertowNode a = start("a");
        settings = sessions -> sessions.route("node-b");
        UndertowNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        assertThat(browser.worker()).isEqualTo("node-a");
        String id = browser.session();
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("1");
        assertThat(browser.worker()).isEqualTo("node-b");
        assertThat(browser.session()).as("is the same").isEqualTo(id);
        browser.get(b, "/rename");
        assertThat(browser.worker()).isEqualTo("node-b");
        assertThat(browser.session()).isNotEqualTo(id);
    }

    @Test
    void anIdThatAClientMakesUpOrHasFromAnEndedSessionIsNotUsed() {
        UndertowNode a = start("a");
        UndertowNode b = start("b");
        browser.useSession("admin");
        browser.get(a, "/set?name=x&value=1");
        assertThat(browser.session()).isNotEqualTo("admin");
        Browser old = new Browser().useSessionOf(browser);
        browser.get(a, "/invalidate");
        String ended = old.session();
        old.get(b, "/set?name=x&value=2");
        assertThat(old.session()).isNotEqualTo(ended);
        assertThat(old.get(a, "/get?name=x")).isEqualTo("2");
    }

    @Test
    void undertowCountsSessions() {
        UndertowNode a = start("a");
        browser.get(a, "/set?name=x&value=1");
        assertThat(a.sessions().getTransientSessions()).as("those that would be lost with this node").containsExactly(browser.session());
        UndertowNode b = start("b");
        assertThat(a.sessions().getTransientSessions()).isEmpty();
        assertThat(b.sessions().getAllSessions()).containsExactly(browser.session());
        assertThat(b.sessions().getStatistics().getActiveSessionCount()).isEqualTo(1);
        assertThat(a.sessions().getStatistics().getCreatedSessionCount()).isEqualTo(1);
        until("the end of requests", () -> a.sessions().getActiveSessions().isEmpty());
        assertThat(b.sessions().getSession(browser.session()).getAttribute("x")).as("read by code that is no request's").isEqualTo("1");
        b.sessions().getSession(browser.session()).invalidate(null);
        assertThat(browser.get(a, "/get?name=x")).isEqualTo("no session");
        assertThat(b.sessions().getStatistics().getExpiredSessionCount()).isEqualTo(1);
    }

    @Test
    void wrongSettingsAreRefusedWithAReason() {
        try (Node node = Node.local().cluster(cluster).name("n").set("records.directory", "memory").start()) {
            TuttiSessions sessions = new TuttiSessions(node);
            assertThatThrownBy(() -> sessions.allowedClasses("**")).hasMessageContaining("allowedClasses: '**' is neither a class");
            assertThatThrownBy(() -> sessions.acknowledgementTimeout(Duration.ZERO)).hasMessageContaining("acknowledgementTimeout: PT0S");
            assertThatThrownBy(() -> sessions.route("a.b")).hasMessageContaining("route: 'a.b' is not 1 to 64 letters");
        }
    }
}
