package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.sites.Sites;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tomcats on real nodes of which two hold each session. */
@Tag("slow")
class CopiesTest {

    private final Map<TomcatNode, Node> nodes = new LinkedHashMap<>();
    private String seed = "";

    @TempDir
    Path directory;

    private TomcatNode start(String name, String copies) {
        return start(name, copies, "");
    }

    private TomcatNode start(String name, String copies, String attributes) {
        Node node = Node.tcp(0).name(name).seeds(seed.isEmpty() ? new String[0] : new String[] {seed}).set("attributes", attributes).start();
        seed = seed.isEmpty() ? node.address() : seed;
        TuttiManager manager = TomcatNode.patientManager(node);
        manager.setCopies(copies);
        TomcatNode tomcat = new TomcatNode(name, directory, manager, ShopNode.pages(), none -> {});
        nodes.put(tomcat, node);
        return tomcat;
    }

    private List<TomcatNode> startAll(int count) {
        List<TomcatNode> tomcats = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            tomcats.add(start("n" + number, "2"));
        }
        awaitMembers(tomcats);
        return tomcats;
    }

    private static void awaitMembers(List<TomcatNode> tomcats) {
        for (TomcatNode tomcat : tomcats) {
            until(tomcat.name + " sees " + tomcats.size(), () -> {
                Map<String, Object> status = tomcat.manager.status();
                return ((List<?>) status.get("members")).size() == tomcats.size() && status.get("state-complete").equals(true);
            });
        }
    }

    @AfterEach
    void closeAll() {
        nodes.forEach((tomcat, node) -> {
            node.close();
            tomcat.close();
        });
    }

    private static int copies(List<TomcatNode> tomcats) {
        return tomcats.stream().mapToInt(tomcat -> tomcat.manager.getActiveSessions()).sum();
    }

    @Test
    void cartsAreCompleteWhicheverNodeServesAndWhicheverIsKilled() {
        List<TomcatNode> tomcats = new ArrayList<>(startAll(4));
        Random random = new Random(3);
        Map<Browser, List<String>> carts = new LinkedHashMap<>();
        for (int index = 0; index < 30; index++) {
            carts.put(new Browser(), new ArrayList<>());
        }
        for (int round = 0; round < 9; round++) {
            if (round == 3 || round == 6) {
                TomcatNode killed = tomcats.remove(random.nextInt(tomcats.size()));
                nodes.get(killed).close();
                awaitMembers(tomcats);
            }
            for (Map.Entry<Browser, List<String>> entry : carts.entrySet()) {
                entry.getValue().add("item" + round);
                String answer = entry.getKey().get(tomcats.get(random.nextInt(tomcats.size())), "/add?item=item" + round);
                assertThat(answer).isEqualTo("" + entry.getValue().size());
            }
        }
        for (Map.Entry<Browser, List<String>> entry : carts.entrySet()) {
            for (TomcatNode tomcat : tomcats) {
                assertThat(entry.getKey().get(tomcat, "/cart")).isEqualTo(entry.getValue().toString());
            }
        }
        until("the copies that only readers needed are given up", () -> copies(tomcats) == 2 * carts.size());
        assertThat(tomcats).allSatisfy(tomcat -> assertThat(tomcat.manager.status())
                .containsEntry("sessions-lost", 0L).containsEntry("malformed", 0L).containsEntry("wait-timeouts", 0L));
    }

    @Test
    void lossOfAZoneLosesNoCart() {
        List<TomcatNode> tomcats = new ArrayList<>();
        for (int number = 1; number <= 4; number++) {
            tomcats.add(start("n" + number, "2", "rack=r" + number + ", zone=" + (number <= 2 ? "a" : "b")));
        }
        awaitMembers(tomcats);
        Map<Browser, List<String>> carts = new LinkedHashMap<>();
        for (int index = 0; index < 40; index++) {
            Browser browser = new Browser();
            browser.get(tomcats.get(index % 4), "/add?item=item" + index);
            carts.put(browser, List.of("item" + index));
        }
        // Members tell their zones after the view has begun, and sessions that were placed before move then.
        until("each session is in both zones", () -> tomcats.stream().map(tomcat -> tomcat.manager.status()).allMatch(status ->
                status.get("members-by-zone").equals(Map.of("a", 2, "b", 2)) && status.get("sessions-in-one-zone").equals(0L)));
        List<TomcatNode> left = tomcats.subList(2, 4);
        List<Thread> killers = tomcats.subList(0, 2).stream().map(tomcat -> Thread.startVirtualThread(nodes.get(tomcat)::close)).toList();
        until("the nodes of the zone are gone", () -> killers.stream().noneMatch(Thread::isAlive));
        awaitMembers(left);
        for (Map.Entry<Browser, List<String>> entry : carts.entrySet()) {
            for (TomcatNode tomcat : left) {
                assertThat(entry.getKey().get(tomcat, "/cart")).isEqualTo(entry.getValue().toString());
            }
        }
        assertThat(left).allSatisfy(tomcat -> assertThat(tomcat.manager.status()).containsEntry("sessions-lost", 0L));
        // Nobody takes their sessions over any more.
        tomcats.subList(0, 2).forEach(tomcat -> tomcat.manager.setStopTimeout("100 ms"));
    }

    @Test
    void nodeOfTheManagersOwnHasTheZoneOfItsSettings() {
        TuttiManager manager = new TuttiManager();
        manager.setPort(0);
        manager.setCopies("2");
        manager.setSettings("attributes=zone=eu-1a");
        TomcatNode tomcat = new TomcatNode("own", directory, manager, ShopNode.pages(), none -> {});
        assertThat(manager.status()).containsEntry("members-by-zone", Map.of("eu-1a", 1));
        tomcat.close();
    }

    @Test
    void nodeWithAnotherNumberOfCopiesIsToldAndDoesNotMeetTheOthers() {
        List<TomcatNode> tomcats = startAll(2);
        TomcatNode other = start("other", "3");
        assertThat(other.manager.status().get("members")).isEqualTo(List.of("other"));
        Node node = nodes.get(other);
        until("the difference is told", () -> node.health().toString().contains("must-match is copies=3 here and copies=2"));
        assertThat(tomcats.getFirst().manager.status().get("members").toString()).contains("n1").contains("n2").doesNotContain("other");
    }

    @Test
    void copiesAtOtherSitesAreRefused() {
        Node node = Node.tcp(0).name("a").start();
        try (node;
                Sites sites = Sites.on(node).site("berlin").bridge(() -> Node.tcp(0).cluster("bridge")).open()) {
            TuttiManager manager = new TuttiManager(sites);
            manager.setCopies("2");
            TomcatNode tomcat = new TomcatNode("a", directory, manager, ShopNode.pages(), none -> {});
            assertThat(tomcat.context.getState().isAvailable()).isFalse();
            tomcat.close();
        }
    }

    @Test
    void numberOfCopiesIsAllOrAtLeastTwo() {
        TuttiManager manager = new TuttiManager();
        manager.setCopies("all");
        manager.setCopies(" 3 ");
        for (String wrong : List.of("1", "0", "-2", "many", "2.5", "100")) {
            assertThatThrownBy(() -> manager.setCopies(wrong))
                    .hasMessage("copies=\"" + wrong + "\": neither all nor a number of nodes from 2 to 99");
        }
    }
}
