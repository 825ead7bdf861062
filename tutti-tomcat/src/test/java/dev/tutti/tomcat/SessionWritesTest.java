package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes that can't be sent in the usual way: an object that can't be encoded, a request that does not end. */
class SessionWritesTest {

    private static final Map<String, HttpSession> HELD = new ConcurrentHashMap<>();

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final CountDownLatch isOver = new CountDownLatch(1);
    private final Browser browser = new Browser();
    private TomcatNode a;
    private TomcatNode b;

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        Fragile.failures.clear();
        a = start("a");
        b = start("b");
        until("a sees b", () -> a.manager.status().get("members").equals(List.of("a", "b")));
        pages.put("/get", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : session.getAttribute(request.getParameter("name")));
        });
        pages.put("/fragile", (request, response) -> {
            HttpSession session = request.getSession();
            HELD.put("session", session);
            session.setAttribute("x", new Fragile(request.getParameter("text")));
        });
    }

    private TomcatNode start(String name) {
        TuttiManager manager = TomcatNode.patientManager(cluster.source(name));
        return new TomcatNode(
                name, directory, manager, pages, node -> {
                    manager.setAllowedClasses("dev.tutti.tomcat.*");
                    node.tomcat.getEngine().setBackgroundProcessorDelay(-1);
                });
    }

    @AfterEach
    void stop() {
        isOver.countDown();
        HELD.clear();
        a.close();
        b.close();
    }

    /** Object that can be encoded, unless a failure is queued. */
    static final class Fragile implements Serializable {
        private static final long serialVersionUID = 1;
        static final List<Supplier<Throwable>> failures = new ArrayList<>();

        final String text;

        Fragile(String text) {
            this.text = text;
        }

        private void writeObject(ObjectOutputStream output) throws IOException {
            Supplier<Throwable> next;
            synchronized (failures) {
                next = failures.isEmpty() ? null : failures.removeFirst();
            }
            switch (next == null ? null : next.get()) {
                case null -> output.defaultWriteObject();
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }

        static void fail(int times, Supplier<Throwable> with) {
            synchronized (failures) {
                for (int time = 0; time < times; time++) {
                    failures.add(with);
                }
            }
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Test
    void objectThatChangesWhileItIsEncodedIsTriedAgainBeforeTheResponse() {
        browser.get(a, "/fragile?text=first");
        Fragile.fail(AttributeCodec.ATTEMPTS_AT_ONCE - 1, ConcurrentModificationException::new);
        browser.get(a, "/fragile?text=second");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("second");
        assertThat(a.manager.status()).containsEntry("not-encoded", 0L);
    }

    @Test
    void attributeThatCannotBeEncodedKeepsItsLastValueElsewhereAndIsTriedAgain() {
        for (Supplier<Throwable> failure : List.<Supplier<Throwable>>of(
                ConcurrentModificationException::new,
                () -> new IOException("not now"),
                StackOverflowError::new,
                () -> new OutOfMemoryError("not now"))) {
            browser.get(a, "/fragile?text=first");
            Fragile.fail(1_000, failure);
            browser.get(a, "/fragile?text=second");
            assertThat(browser.get(b, "/get?name=x")).isEqualTo("first");
            assertThat(browser.get(a, "/get?name=x")).as("the request went on").isEqualTo("second");
            synchronized (Fragile.failures) {
                Fragile.failures.clear();
            }
            a.context.backgroundProcess();
            until("it is at b", () -> browser.get(b, "/get?name=x").equals("second"));
        }
        assertThat(a.manager.status().get("reports").toString())
                .contains("attribute 'x' of dev.tutti.tomcat.SessionWritesTest$Fragile");
    }

    @Test
    void objectThatWasOnlyReadIsNotWrittenBecauseItCouldNotBeComparedOnce() {
        browser.get(a, "/fragile?text=first");
        Fragile.fail(1_000, ConcurrentModificationException::new);
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("first");
        synchronized (Fragile.failures) {
            Fragile.failures.clear();
        }
        b.context.backgroundProcess();
        assertThat((Long) b.manager.status().get("not-encoded")).isPositive();
        assertThat(b.manager.status()).containsEntry("deltas-sent", 0L);
    }

    @Test
    void valueOfAnotherNodeReplacesOneThatCouldNotBeEncoded() {
        browser.get(a, "/fragile?text=first");
        Fragile.fail(1_000, ConcurrentModificationException::new);
        browser.get(a, "/fragile?text=second");
        synchronized (Fragile.failures) {
            Fragile.failures.clear();
        }
        browser.get(b, "/fragile?text=third");
        until("a has it", () -> browser.get(a, "/get?name=x").equals("third"));
        // Nothing is left to be tried again.
        a.context.backgroundProcess();
        assertThat(browser.get(a, "/get?name=x")).isEqualTo("third");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("third");
    }

    @Test
    void valueThatIsNotSerializableLeavesTheLastOneElsewhere() {
        pages.put("/plain", (request, response) -> request.getSession().setAttribute("x", new Object() {
            @Override
            public String toString() {
                return "plain";
            }
        }));
        browser.get(a, "/fragile?text=first");
        browser.get(a, "/plain");
        assertThat(browser.get(a, "/get?name=x")).isEqualTo("plain");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("first");
    }

    /** A stream that stays open, such as a WebSocket, must not hold back changes that others make meanwhile. */
    @Test
    void changeOutsideARequestGoesOutWhileAnotherRequestIsOpen() throws Exception {
        CountDownLatch isOpen = new CountDownLatch(1);
        pages.put("/stream", (request, response) -> {
            HELD.put("session", request.getSession());
            request.getSession().setAttribute("cart", new ArrayList<>(List.of("1")));
            response.flushBuffer();
            isOpen.countDown();
            isOver.await(60, TimeUnit.SECONDS);
        });
        browser.get(a, "/fragile?text=first");
        CompletableFuture<?> stream = browser.fetchSoon(a, "/stream");
        assertThat(isOpen.await(20, TimeUnit.SECONDS)).isTrue();
        HttpSession held = HELD.get("session");
        held.setAttribute("x", "from outside");
        until("it is at b", () -> browser.get(b, "/get?name=x").equals("from outside"));
        held.removeAttribute("x");
        until("it is gone at b", () -> browser.get(b, "/get?name=x").equals("null"));
        assertThat(stream).isNotDone();
    }

    @Test
    void changeByARequestThatStreamsGoesOutWhileItIsOpen() throws Exception {
        CountDownLatch isOpen = new CountDownLatch(1);
        pages.put("/stream", (request, response) -> {
            response.flushBuffer();
            List<String> cart = new ArrayList<>(List.of("1"));
            request.getSession().setAttribute("cart", cart);
            isOpen.countDown();
            isOver.await(60, TimeUnit.SECONDS);
            cart.add("2");
        });
        browser.get(a, "/fragile?text=first");
        CompletableFuture<?> stream = browser.fetchSoon(a, "/stream");
        assertThat(isOpen.await(20, TimeUnit.SECONDS)).isTrue();
        until("it is at b", () -> browser.get(b, "/get?name=cart").equals("[1]"));
        isOver.countDown();
        stream.get(20, TimeUnit.SECONDS);
        assertThat(browser.get(b, "/get?name=cart")).as("changed in place after it was sent").isEqualTo("[1, 2]");
    }

    /** The client has given up and gone on at another node, of which the first one did not hear. */
    @Test
    void requestThatSleptThroughAnAbsenceOverwritesNothingAndFails() throws Exception {
        CountDownLatch hasRead = new CountDownLatch(1);
        pages.put("/slow", (request, response) -> {
            @SuppressWarnings("unchecked")
            List<String> cart = (List<String>) request.getSession().getAttribute("cart");
            hasRead.countDown();
            isOver.await(60, TimeUnit.SECONDS);
            cart.add("late");
            request.getSession().setAttribute("other", "late");
        });
        pages.put("/add", (request, response) -> {
            HttpSession session = request.getSession();
            @SuppressWarnings("unchecked")
            List<String> cart = (List<String>) session.getAttribute("cart");
            cart = cart == null ? new ArrayList<>() : cart;
            cart.add(request.getParameter("item"));
            session.setAttribute("cart", cart);
        });
        browser.get(a, "/add?item=first");
        CompletableFuture<HttpResponse<String>> slow = browser.fetchSoon(a, "/slow");
        assertThat(hasRead.await(20, TimeUnit.SECONDS)).isTrue();
        cluster.partition("a");
        until("a is cut off", () -> a.manager.status().get("members").equals(List.of("a"))
                && b.manager.status().get("members").equals(List.of("b")));
        browser.get(b, "/add?item=second");
        cluster.heal();
        until("a is back", () -> a.manager.status().get("members").equals(List.of("a", "b"))
                && a.manager.status().get("state-complete").equals(true));
        isOver.countDown();
        assertThat(slow.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
        for (TomcatNode node : List.of(a, b)) {
            assertThat(browser.get(node, "/get?name=cart")).isEqualTo("[first, second]");
            assertThat(browser.get(node, "/get?name=other")).isEqualTo("null");
        }
        assertThat(a.manager.status()).containsEntry("requests-refused", 1L).containsEntry("changes-withdrawn", 1L);
    }

    @Test
    void delayOfChangesHasBounds() {
        TuttiManager manager = new TuttiManager();
        assertThatThrownBy(() -> manager.setChangeDelay("0 ms")).hasMessageContaining("1 ms to 5 s");
        assertThatThrownBy(() -> manager.setChangeDelay("6 s")).hasMessageContaining("1 ms to 5 s");
        manager.setChangeDelay("5 s");
    }
}
