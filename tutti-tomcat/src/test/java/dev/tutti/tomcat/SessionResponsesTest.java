package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of a session are at the other nodes before the client has the response, however the page writes it. */
class SessionResponsesTest {

    private static final Map<String, Object> HELD = new ConcurrentHashMap<>();

    private final Browser browser = new Browser();
    private final Shop shop;

    SessionResponsesTest(@TempDir Path directory) {
        shop = new Shop(directory);
    }

    @AfterEach
    void stop() {
        HELD.clear();
        shop.close();
    }

    @Test
    void asynchronousRequestIsSafeBeforeItsResponse() {
        List<TomcatNode> nodes = shop.startThree();
        shop.page("/async", (request, response) -> {
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
        List<TomcatNode> nodes = shop.startThree();
        shop.page("/dispatch", (request, response) -> {
            request.getSession().setAttribute("first", "1");
            AsyncContext async = request.startAsync();
            async.start(() -> async.dispatch("/set?name=second&value=2"));
        });
        assertThat(browser.get(nodes.get(0), "/dispatch")).isEqualTo("set");
        assertThat(browser.get(nodes.get(1), "/names")).isEqualTo("[first, second]");
    }

    @Test
    void changeBeforeAnEarlyFlushIsSafeWhenTheClientHasTheResponse() {
        List<TomcatNode> nodes = shop.startThree();
        CountDownLatch clientHasIt = new CountDownLatch(1);
        for (String how : List.of("length", "close", "stream")) {
            shop.page("/early-" + how, (request, response) -> {
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

    private TuttiSession sessionOf(TomcatNode node) {
        return node.manager.sessionHere(browser.session());
    }

    @Test
    void sessionHeldOutsideARequestIsReplicatedAtOnce() {
        List<TomcatNode> nodes = shop.startThree();
        shop.page("/hold", (request, response) -> {
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

    @Test
    void changesAreReplicatedOnDemand() {
        List<TomcatNode> nodes = List.of(shop.start("a", node -> node.manager.setChangeDelay("5 s")), shop.start("b"));
        Shop.awaitView(nodes);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        browser.get(nodes.get(0), "/set?name=x&value=1");
        shop.page("/demand", (request, response) -> {
            request.getSession().setAttribute("now", "1");
            seen.add(new Browser().useSession(request.getRequestedSessionId()).get(nodes.get(1), "/get?name=now"));
            ((Runnable) request.getAttribute("dev.tutti.tomcat.replicate")).run();
            seen.add(new Browser().useSession(request.getRequestedSessionId()).get(nodes.get(1), "/get?name=now"));
        });
        browser.get(nodes.get(0), "/demand");
        assertThat(seen).containsExactly("null", "1");
    }
}
