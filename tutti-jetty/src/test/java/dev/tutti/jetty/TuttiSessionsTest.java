package dev.tutti.jetty;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.blocks.session.Acknowledgement;
import dev.tutti.blocks.session.SaveMode;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.MetricsProvider;
import dev.tutti.jetty.JettyNode.Page;
import dev.tutti.testing.Browser;
import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.io.InputStream;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.security.ConstraintMapping;
import org.eclipse.jetty.ee11.servlet.security.ConstraintSecurityHandler;
import org.eclipse.jetty.security.Constraint;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.security.authentication.FormAuthenticator;
import org.eclipse.jetty.session.DefaultSessionCache;
import org.eclipse.jetty.util.security.Credential;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jetties in one process, whose applications have the same sessions. */
class TuttiSessionsTest {

    private final String cluster = "test-" + UUID.randomUUID();
    private final List<JettyNode> running = new ArrayList<>();
    private final Map<String, Page> pages = new ConcurrentHashMap<>(Pages.all());
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Browser browser = new Browser();
    private UnaryOperator<TuttiSessions> settings = UnaryOperator.identity();

    @AfterEach
    void close() {
        running.forEach(JettyNode::close);
    }

    private JettyNode start(String name) {
        return start(name, application -> {});
    }

    private JettyNode start(String name, Consumer<ServletContextHandler> preparation) {
        Node node = Node.local().cluster(cluster).name(name).set("records.directory", "memory").start();
        JettyNode jetty = new JettyNode(node, pages, settings, application -> {
            application.addEventListener(new HttpSessionListener() {
                @Override
                public void sessionCreated(HttpSessionEvent event) {
                    events.add("created at " + name);
                }

                @Override
                public void sessionDestroyed(HttpSessionEvent event) {
                    events.add("destroyed at " + name + " with " + event.getSession().getAttribute("x"));
                }
            });
            preparation.accept(application);
        });
        running.add(jetty);
        return jetty;
    }

    private static Map<String, Long> numbers(JettyNode jetty) {
        NodeInspection inspection = jetty.node().inspection();
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
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        for (int turn = 2; turn < 50; turn++) {
            JettyNode next = turn % 2 == 0 ? b : a;
            assertThat(browser.get(next, "/get?name=x")).isEqualTo("" + (turn - 1));
            browser.get(next, "/set?name=x&value=" + turn);
        }
        assertThat(browser.get(a, "/remove?name=x")).isEmpty();
        assertThat(browser.get(b, "/names")).isEqualTo("[]");
        assertThat(events).containsExactly("created at a");
        // Jetty lets go of a session after its client has the response.
        until("the end of requests", () -> numbers(b).get("in-use") == 0);
        assertThat(numbers(b)).containsEntry("sessions", 1L).containsEntry("not-written", 0L);
    }

    @Test
    void anObjectThatIsModifiedIsWrittenWithoutBeingSet() {
        JettyNode a = start("a");
        JettyNode b = start("b");
        assertThat(browser.get(a, "/add?item=book")).isEqualTo("1");
        assertThat(browser.get(b, "/add?item=pen")).isEqualTo("2");
        assertThat(browser.get(a, "/get?name=cart")).isEqualTo("[book, pen]");
    }

    @Test
    void withSaveModeOnSetModificationsAreNotLookedFor() {
        settings = sessions -> sessions.saveMode(SaveMode.ON_SET);
        JettyNode a = start("a");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
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

    /** Notes, when the late change is about to be written for the first time, whether the client has the end of the response already. */
    static final class Gate implements Serializable, HttpSessionActivationListener {
        private static final long serialVersionUID = 1L;
        static final CountDownLatch END = new CountDownLatch(1);
        static final CompletableFuture<Boolean> HAD_END = new CompletableFuture<>();

        @Override
        public void sessionWillPassivate(HttpSessionEvent event) {
            if ("late".equals(event.getSession().getAttribute("x")) && !HAD_END.isDone()) {
                try {
                    HAD_END.complete(END.await(200, TimeUnit.MILLISECONDS));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Test
    void changesAfterTheFirstPartOfAResponseAreWrittenBeforeItEnds() throws Exception {
        pages.put("/late", (request, response) -> {
            request.getSession().setAttribute("gate", new Gate());
            request.getSession().setAttribute("x", "early");
            response.getWriter().print("begun ");
            response.flushBuffer();
            request.getSession().setAttribute("x", "late");
            response.getWriter().print("ended");
        });
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(a, "/rename");
        assertThat(browser.get(b, "/names")).isEqualTo("[after, before]");
    }

    @Test
    void aSessionExpiresAtAllNodesAndListenersHearOfItOnce() {
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        CompletableFuture<HttpResponse<String>> stream = browser.getSoon(b.url("/stream"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        long begunNanos = System.nanoTime();
        until("twice the interval", () -> System.nanoTime() - begunNanos > TimeUnit.SECONDS.toNanos(6));
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("1");
        assertThat(browser.get(a, "/get?name=x")).isEqualTo("1");
        end.countDown();
        stream.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aNodeThatStartsHasAllSessionsAndOneThatStopsLosesNone() {
        JettyNode a = start("a");
        browser.get(a, "/set?name=x&value=1");
        browser.get(a, "/add?item=book");
        JettyNode b = start("b");
        running.remove(a);
        a.close();
        assertThat(browser.get(b, "/names")).isEqualTo("[cart, x]");
        JettyNode again = start("a");
        running.remove(b);
        b.close();
        assertThat(browser.get(again, "/get?name=cart")).isEqualTo("[book]");
        assertThat(events).as("a stop ends no session").containsExactly("created at a");
    }

    @Test
    void anApplicationThatIsStoppedLeavesItsGroupAndJoinsAgain() throws Exception {
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(b, "/set?name=x&value=1");
        b.application().stop();
        assertThat(b.node().inspection().components()).isEmpty();
        assertThat(browser.get(a, "/set?name=y&value=2")).isEqualTo("set");
        b.application().start();
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
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(b, "/set?name=x&value=1");
        CompletableFuture<HttpResponse<String>> slow = browser.getSoon(a.url("/slow"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        a.application().stop();
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
        JettyNode a = start("a");
        JettyNode b = start("b");
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
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(a, "/add?item=book");
        browser.get(a, "/spoil");
        assertThat(browser.get(b, "/get?name=cart")).isEqualTo("[book]");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("written");
        assertThat(numbers(a).get("not-encoded")).isPositive();
    }

    @Test
    void objectsThatANodeDoesNotAllowAreNotReadThereAndHarmNothingElse() {
        pages.put("/order", (request, response) -> request.getSession().setAttribute("order", new Order("book")));
        JettyNode a = start("a");
        settings = sessions -> sessions.allowedClasses("dev.tutti.other.*");
        JettyNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        browser.get(a, "/order");
        assertThat(browser.get(b, "/get?name=order")).isEqualTo("null");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("1");
        assertThat(browser.get(b, "/rename")).isEmpty();
        assertThat(browser.get(a, "/names")).as("kept by the group").isEqualTo("[after, before, order, x]");
        assertThat(numbers(b).get("not-decoded")).isPositive();
    }

    /** Counts calls of its listener methods. */
    static final class Active implements Serializable, HttpSessionActivationListener {
        private static final long serialVersionUID = 1L;
        static final AtomicInteger PASSIVATED = new AtomicInteger();
        static final AtomicInteger ACTIVATED = new AtomicInteger();

        @Override
        public void sessionWillPassivate(HttpSessionEvent event) {
            PASSIVATED.incrementAndGet();
        }

        @Override
        public void sessionDidActivate(HttpSessionEvent event) {
            ACTIVATED.incrementAndGet();
        }
    }

    @Test
    void attributesHearThatTheyAreWrittenAndRead() {
        pages.put("/active", (request, response) -> request.getSession().setAttribute("active", new Active()));
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(a, "/active");
        assertThat(Active.PASSIVATED).hasPositiveValue();
        int before = Active.ACTIVATED.get();
        browser.get(b, "/names");
        assertThat(Active.ACTIVATED.get()).isGreaterThan(before);
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
        JettyNode a = start("a", application -> application.setClassLoader(classesOfA));
        JettyNode b = start("b", application -> application.setClassLoader(classesOfB));
        browser.get(a, "/put");
        assertThat(browser.get(b, "/loader")).isEqualTo("true");
        assertThat(browser.get(a, "/loader")).isEqualTo("true");
    }

    @Test
    void withoutAcknowledgementChangesArriveALittleLater() {
        settings = sessions -> sessions.acknowledgement(Acknowledgement.NONE).acknowledgementTimeout(Duration.ofSeconds(5)).group("carts");
        JettyNode a = start("a");
        JettyNode b = start("b");
        browser.get(a, "/set?name=x&value=1");
        until("at the other", () -> browser.get(b, "/get?name=x").equals("1"));
        assertThat(a.node().inspection().components().getFirst().labels()).containsEntry("group", "carts:/shop");
    }

    private static void protect(ServletContextHandler application) {
        UserStore users = new UserStore();
        users.addUser("ann", Credential.getCredential("secret"), new String[] {"user"});
        HashLoginService login = new HashLoginService("shop");
        login.setUserStore(users);
        ConstraintSecurityHandler security = new ConstraintSecurityHandler();
        security.setLoginService(login);
        security.setAuthenticator(new FormAuthenticator("/login", "/login", false));
        ConstraintMapping mapping = new ConstraintMapping();
        mapping.setPathSpec("/private");
        mapping.setConstraint(Constraint.from("user"));
        security.addConstraintMapping(mapping);
        application.setSecurityHandler(security);
    }

    @Test
    void aUserWhoHasLoggedInIsKnownAtTheOtherNodes() {
        pages.put("/login", (request, response) -> response.getWriter().print("who are you?"));
        pages.put("/private", (request, response) -> response.getWriter().print("hello " + request.getRemoteUser()));
        JettyNode a = start("a", TuttiSessionsTest::protect);
        JettyNode b = start("b", TuttiSessionsTest::protect);
        assertThat(browser.get(a, "/private")).isEqualTo("status 302");
        String before = browser.session();
        HttpResponse<String> login = browser.post(b.url("/j_security_check"), "j_username=ann&j_password=secret");
        assertThat(login.statusCode()).isEqualTo(303);
        assertThat(login.headers().firstValue("Location").orElse("")).as("the page that another node was asked for").endsWith("/shop/private");
        assertThat(browser.session()).as("against session fixation").isNotEqualTo(before);
        assertThat(browser.get(a, "/private")).isEqualTo("hello ann");
        assertThat(browser.get(b, "/private")).isEqualTo("hello ann");
    }

    @Test
    void wrongSettingsAreRefusedWithAReason() {
        try (Node node = Node.local().cluster(cluster).name("n").set("records.directory", "memory").start()) {
            TuttiSessions sessions = new TuttiSessions(node);
            assertThatThrownBy(() -> sessions.allowedClasses("**")).hasMessageContaining("allowedClasses: '**' is neither a class");
            assertThatThrownBy(() -> sessions.acknowledgementTimeout(Duration.ZERO)).hasMessageContaining("acknowledgementTimeout: PT0S");
            var handler = new org.eclipse.jetty.ee11.servlet.SessionHandler();
            handler.setSessionCache(new DefaultSessionCache(handler));
            assertThatThrownBy(() -> sessions.getSessionDataStore(handler)).hasMessageContaining("has a cache of sessions of its own");
        }
    }
}
