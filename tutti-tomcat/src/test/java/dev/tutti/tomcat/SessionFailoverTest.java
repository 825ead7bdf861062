package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionIdListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of Tomcats that fail, restart, lose each other and serve the same session at once. */
class SessionFailoverTest {

    private final Browser browser = new Browser();
    private final Shop shop;

    SessionFailoverTest(@TempDir Path directory) {
        shop = new Shop(directory);
    }

    @AfterEach
    void stop() {
        shop.close();
    }

    @Test
    void lastAccessIsTheLastUseAtAnyNode() {
        shop.page("/last", (request, response) ->
                response.getWriter().print(request.getSession().getLastAccessedTime()));
        TomcatNode a = shop.start("a");
        TomcatNode b = shop.start("b");
        Shop.awaitView(List.of(a, b));
        browser.get(b, "/add?item=1");
        long atB = System.currentTimeMillis();
        until("the clock has moved on", () -> System.currentTimeMillis() > atB + 50);
        long atA = System.currentTimeMillis();
        browser.get(a, "/add?item=2");
        TuttiSession session = b.manager.sessionHere(browser.session());
        assertThat(session.getLastAccessedTimeInternal()).isBetween(atA - 5, System.currentTimeMillis());
        assertThat(Long.parseLong(browser.get(b, "/last"))).isBetween(atA - 5, System.currentTimeMillis());
    }

    @Test
    void cartIsCompleteWhicheverNodeServesAndWhicheverIsKilled() {
        List<TomcatNode> nodes = new ArrayList<>(shop.startThree());
        Random random = new Random(1);
        Map<Browser, List<String>> carts = new LinkedHashMap<>();
        for (int index = 0; index < 20; index++) {
            carts.put(new Browser(), new ArrayList<>());
        }
        for (int round = 0; round < 12; round++) {
            if (round == 4 || round == 8) {
                shop.kill(nodes.remove(random.nextInt(nodes.size())));
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
    void restartedNodeHasAllSessions() {
        List<TomcatNode> nodes = shop.startThree();
        browser.get(nodes.get(0), "/add?item=1");
        shop.kill(nodes.get(0));
        shop.kill(nodes.get(1));
        browser.get(nodes.get(2), "/add?item=2");
        TomcatNode again = shop.start("a");
        assertThat(browser.get(again, "/cart")).as("served at once, asked for or waited for").isEqualTo("[1, 2]");
        Shop.awaitView(List.of(nodes.get(2), again));
        assertThat(again.manager.getActiveSessions()).isEqualTo(1);
        assertThat(again.manager.getSessionIdsFull()).containsExactly(browser.session());
    }

    @Test
    void contextIsRedeployedUnderLoadAndNoCartLosesAnything() throws Exception {
        List<TomcatNode> nodes = shop.startThree();
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
        Shop.awaitView(nodes);
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/cart")).isEqualTo(added.toString());
        }
    }

    @Test
    void idChangeIsSeenEverywhereAndTheOldIdIsDead() {
        List<TomcatNode> nodes = shop.startThree();
        shop.page("/change", (request, response) -> {
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
        List<TomcatNode> nodes = shop.startThree();
        browser.get(nodes.get(0), "/set?name=x&value=1");
        browser.get(nodes.get(1), "/end");
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/get?name=x")).isEqualTo("no session");
            assertThat(node.manager.getActiveSessions()).isZero();
        }
    }

    @Test
    void idLeadsToTheNodeThatTookOver() {
        List<TomcatNode> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            nodes.add(shop.start(name, node -> node.tomcat.getEngine().setJvmRoute("route-" + name)));
        }
        Shop.awaitView(nodes);
        browser.get(nodes.get(0), "/add?item=1");
        assertThat(browser.session()).endsWith(".route-a");
        String key = browser.session().split("\\.")[0];
        shop.kill(nodes.get(0));
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
                shop.start("a", node -> node.manager.setAcknowledgement("none")),
                shop.start("b", node -> node.manager.setQueryTimeout("20 s")));
        Shop.awaitView(nodes);
        shop.cluster.hold("b");
        browser.get(nodes.get(0), "/set?name=x&value=1");
        CompletableFuture<String> early = browser.fetchSoon(nodes.get(1), "/get?name=x").thenApply(got -> got.body());
        until("it is asked for", () -> nodes.get(1).manager.status().get("queries-sent").equals(1L));
        shop.cluster.release("b");
        assertThat(early.get(20, TimeUnit.SECONDS)).isEqualTo("1");
    }

    @Test
    void idsThatNobodyKnowsAreAskedForOnce() {
        List<TomcatNode> nodes = shop.startThree();
        for (int index = 0; index < 5; index++) {
            assertThat(new Browser().useSession("ABCDEF").get(nodes.get(1), "/get?name=x")).isEqualTo("no session");
        }
        assertThat(nodes.get(1).manager.status()).containsEntry("queries-sent", 1L).containsEntry("queries-in-vain", 1L);
    }

    @Test
    void sidesOfAPartitionServeOnAndAgreeAfterwards() {
        List<TomcatNode> nodes = shop.startThree();
        browser.get(nodes.get(0), "/set?name=x&value=0");
        Browser other = new Browser();
        shop.cluster.partition("c");
        until("cut", () -> ((List<?>) nodes.get(2).manager.status().get("members")).size() == 1);
        browser.get(nodes.get(0), "/set?name=left&value=1");
        browser.get(nodes.get(2), "/set?name=right&value=1");
        other.get(nodes.get(2), "/set?name=x&value=1");
        shop.cluster.heal();
        Shop.awaitView(nodes);
        for (TomcatNode node : nodes) {
            until("merged at " + node.name, () -> browser.get(node, "/names").equals("[left, right, x]"));
            assertThat(other.get(node, "/get?name=x")).isEqualTo("1");
        }
    }

    @Test
    void stalledMemberSlowsOneRequestDownAndIsWaitedForAgainLater() {
        List<TomcatNode> nodes = List.of(
                shop.start("a", node -> node.manager.setAcknowledgementTimeout("50 ms")), shop.start("b"));
        Shop.awaitView(nodes);
        shop.cluster.hold("b");
        for (int index = 0; index < 10; index++) {
            assertThat(browser.get(nodes.get(0), "/add?item=" + index)).isEqualTo("" + (index + 1));
        }
        assertThat(nodes.get(0).manager.status()).containsEntry("wait-timeouts", 1L).containsEntry("members-lagging", 1);
        shop.cluster.release("b");
        until("caught up", () -> nodes.get(0).manager.status().get("members-lagging").equals(0));
        until("all of it at b", () -> browser.get(nodes.get(1), "/cart").equals("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"));
    }

    @Test
    void concurrentRequestsOfOneSessionLoseNoAttribute() {
        List<TomcatNode> nodes = shop.startThree();
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
        TomcatNode a = shop.start("a", node -> node.manager.setMaxActiveSessions(1));
        assertThat(browser.get(a, "/set?name=x&value=1")).isEqualTo("set");
        assertThat(new Browser().get(a, "/set?name=x&value=1")).isEqualTo("status 500");
        assertThat(a.manager.getRejectedSessions()).isEqualTo(1);
    }
}
