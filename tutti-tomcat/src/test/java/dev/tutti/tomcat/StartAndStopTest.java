package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import dev.tutti.tomcat.replication.SessionChannel;
import jakarta.servlet.http.HttpSession;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.catalina.core.StandardContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that stops, starts and is reloaded. */
class StartAndStopTest {

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private final Map<String, Page> pages = new ConcurrentHashMap<>(ShopNode.pages());
    private final List<TomcatNode> running = new ArrayList<>();
    private final Browser browser = new Browser();
    private final CountDownLatch hasBegun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @TempDir
    Path directory;

    StartAndStopTest() {
        pages.put("/slow", (request, response) -> {
            HttpSession session = request.getSession();
            hasBegun.countDown();
            assertThat(goOn.await(20, TimeUnit.SECONDS)).isTrue();
            if (request.getParameter("item") != null) {
                session.setAttribute("slow", request.getParameter("item"));
            }
            response.getWriter().print("done");
            if (request.getParameter("flush") != null) {
                response.flushBuffer();
            }
        });
        pages.put("/stream", (request, response) -> {
            HttpSession session = request.getSession();
            response.getWriter().print("begun ");
            response.flushBuffer();
            hasBegun.countDown();
            assertThat(goOn.await(20, TimeUnit.SECONDS)).isTrue();
            session.setAttribute("slow", request.getParameter("item"));
            response.getWriter().print("done");
        });
        pages.put("/get", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : session.getAttribute("slow"));
        });
        pages.put("/end", (request, response) -> request.getSession().invalidate());
    }

    private TomcatNode start(String name) {
        return start(name, cluster.source(name), "20 s");
    }

    private TomcatNode start(String name, SessionChannel.Source source, String stopTimeout) {
        TuttiManager manager = TomcatNode.patientManager(source);
        manager.setStopTimeout(stopTimeout);
        TomcatNode node = new TomcatNode(
                name, directory, manager, pages, one -> ((StandardContext) one.context).setUnloadDelay(100));
        running.add(node);
        return node;
    }

    private void stop(TomcatNode node) {
        running.remove(node);
        node.close();
    }

    @AfterEach
    void stopAll() {
        goOn.countDown();
        running.forEach(TomcatNode::close);
    }

    private Path keptFile() throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> path.getFileName().toString().startsWith("tutti-sessions")).findFirst().orElseThrow();
        }
    }

    // ---- sessions of the only node

    @Test
    void sessionsSurviveTheReloadOfTheOnlyNode() {
        TomcatNode node = start("a");
        browser.get(node, "/add?item=1");
        node.context.reload();
        assertThat(browser.get(node, "/cart")).isEqualTo("[1]");
        assertThat(node.manager.status()).containsEntry("sessions-restored", 1L);
        assertThat(browser.get(node, "/add?item=2")).isEqualTo("2");
        node.context.reload();
        assertThat(browser.get(node, "/cart")).isEqualTo("[1, 2]");
    }

    @Test
    void sessionsSurviveTheRestartOfTheOnlyNode() {
        TomcatNode before = start("a");
        browser.get(before, "/add?item=1");
        Browser left = new Browser();
        left.get(before, "/add?item=2");
        left.get(before, "/end");
        stop(before);
        TomcatNode after = start("a");
        assertThat(browser.get(after, "/cart")).isEqualTo("[1]");
        assertThat(left.get(after, "/cart")).isEqualTo("no session");
        assertThat(after.manager.getActiveSessions()).isEqualTo(1);
    }

    @Test
    void sessionsOfTheLastNodeComeToThoseThatWereStartedBeforeIt() {
        TomcatNode last = start("a");
        browser.get(last, "/add?item=1");
        stop(last);
        TomcatNode other = start("b");
        assertThat(browser.get(other, "/cart")).isEqualTo("no session");
        TomcatNode again = start("a");
        until("b has it", () -> other.manager.getActiveSessions() == 1);
        assertThat(browser.get(other, "/cart")).isEqualTo("[1]");
        assertThat(browser.get(again, "/cart")).isEqualTo("[1]");
    }

    @Test
    void nothingIsKeptThatAnotherNodeHas() throws Exception {
        TomcatNode a = start("a");
        TomcatNode b = start("b");
        browser.get(a, "/add?item=1");
        stop(a);
        try (Stream<Path> files = Files.walk(directory.resolve("a"))) {
            assertThat(files.filter(path -> path.toString().contains("tutti-sessions"))).isEmpty();
        }
        assertThat(browser.get(b, "/cart")).isEqualTo("[1]");
    }

    @Test
    void damagedFileIsSetAsideAndTheApplicationStarts() throws Exception {
        TomcatNode node = start("a");
        browser.get(node, "/add?item=1");
        stop(node);
        Path file = keptFile();
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2]++;
        Files.write(file, bytes);
        TomcatNode again = start("a");
        assertThat(again.manager.getActiveSessions()).isZero();
        assertThat(keptFile().getFileName()).hasToString("tutti-sessions.bin.unreadable");
    }

    @Test
    void nothingIsKeptWithoutAPathname() {
        TuttiManager manager = TomcatNode.patientManager(cluster.source("a"));
        manager.setPathname("");
        TomcatNode node = new TomcatNode("a", directory, manager, pages, none -> {});
        running.add(node);
        browser.get(node, "/add?item=1");
        node.context.reload();
        assertThat(browser.get(node, "/cart")).isEqualTo("no session");
    }

    // ---- requests that run while the application stops

    private CompletableFuture<HttpResponse<String>> begin(TomcatNode node, String page) throws InterruptedException {
        CompletableFuture<HttpResponse<String>> response = browser.fetchSoon(node, page);
        assertThat(hasBegun.await(20, TimeUnit.SECONDS)).isTrue();
        return response;
    }

    @Test
    void reloadWaitsForARunningRequestAndItsWriteStays() throws Exception {
        TomcatNode node = start("a");
        TomcatNode other = start("b");
        browser.get(node, "/add?item=1");
        CompletableFuture<HttpResponse<String>> response = begin(node, "/slow?item=x");
        CompletableFuture<Void> reload = CompletableFuture.runAsync(node.context::reload, Thread::startVirtualThread);
        until("the reload has begun", () -> node.context.getState().name().startsWith("STOPPING"));
        assertThat(node.manager.status()).containsEntry("requests-running", 1);
        assertThatThrownBy(() -> reload.get(500, TimeUnit.MILLISECONDS))
                .as("waits for longer than Tomcat does")
                .isInstanceOf(TimeoutException.class);
        goOn.countDown();
        assertThat(response.join().statusCode()).isEqualTo(200);
        reload.join();
        assertThat(browser.get(other, "/get")).isEqualTo("x");
        assertThat(browser.get(node, "/get")).isEqualTo("x");
    }

    @Test
    void changeAfterTheStopIsAnsweredWith503() throws Exception {
        TomcatNode node = start("a", cluster.source("a"), "10 ms");
        browser.get(node, "/add?item=1");
        CompletableFuture<HttpResponse<String>> response = begin(node, "/slow?item=x");
        node.context.reload();
        goOn.countDown();
        assertThat(response.join().statusCode()).isEqualTo(503);
        assertThat(browser.get(node, "/get")).isEqualTo("null");
    }

    @Test
    void changeAfterTheStopIsAnsweredWith503BeforeAnEarlyCommit() throws Exception {
        TomcatNode node = start("a", cluster.source("a"), "10 ms");
        browser.get(node, "/add?item=1");
        CompletableFuture<HttpResponse<String>> response = begin(node, "/slow?item=x&flush=1");
        node.context.reload();
        goOn.countDown();
        assertThat(response.join().statusCode()).isEqualTo(503);
    }

    @Test
    void changeFailsInAnApplicationThatStaysStopped() throws Exception {
        TomcatNode node = start("a", cluster.source("a"), "10 ms");
        browser.get(node, "/add?item=1");
        CompletableFuture<HttpResponse<String>> response = begin(node, "/slow?item=x");
        node.context.stop();
        goOn.countDown();
        assertThat(response.join().statusCode()).isGreaterThanOrEqualTo(500);
    }

    @Test
    void changeAfterTheStopEndsAResponseThatHasBegun() throws Exception {
        TomcatNode node = start("a", cluster.source("a"), "10 ms");
        browser.get(node, "/add?item=1");
        CompletableFuture<HttpResponse<String>> response = begin(node, "/stream?item=x");
        node.context.reload();
        goOn.countDown();
        assertThat(response.handle((page, failure) -> failure != null).join()).as("fails").isTrue();
    }

    @Test
    void requestWithoutAChangeIsAnsweredAfterTheStop() throws Exception {
        TomcatNode node = start("a", cluster.source("a"), "10 ms");
        browser.get(node, "/add?item=1");
        CompletableFuture<HttpResponse<String>> response = begin(node, "/slow");
        node.context.reload();
        goOn.countDown();
        assertThat(response.join().statusCode()).isEqualTo(200);
    }

    // ---- reports of the start

    @Test
    void stateIsNotCompleteWhileSeedsHaveNotAnswered() {
        SessionChannel.Source alone = (group, listener) ->
                new Hasty(cluster.source("a").join(group, listener), new SessionChannel.JoinResult(false, "alone: 1 seed has not answered"));
        TomcatNode a = start("a", alone, "1 s");
        assertThat(a.manager.status())
                .containsEntry("start", "alone: 1 seed has not answered")
                .containsEntry("state-complete", false);
        TomcatNode b = start("b");
        until("both are complete", () -> List.of(a, b).stream()
                .allMatch(node -> node.manager.status().get("state-complete").equals(true)));
        assertThat(a.manager.status().get("state-from")).isEqualTo(Map.of("b", "0 sessions"));
    }

    /** Channel of a member that did not find everybody when it joined. */
    private record Hasty(SessionChannel channel, JoinResult joinResult) implements SessionChannel {
        @Override
        public CompletableFuture<Void> send(byte[] message) {
            return channel.send(message);
        }

        @Override
        public boolean sendTo(dev.tutti.core.Member receiver, byte[] message) {
            return channel.sendTo(receiver, message);
        }

        @Override
        public CompletableFuture<Void> post(dev.tutti.core.Member receiver, byte[] message) {
            return channel.post(receiver, message);
        }

        @Override
        public boolean trySendTo(dev.tutti.core.Member receiver, byte[] message) {
            return channel.trySendTo(receiver, message);
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
