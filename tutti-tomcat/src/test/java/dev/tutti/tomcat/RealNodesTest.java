package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.node.NodeOptions;
import dev.tutti.tomcat.node.SharedNodes;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tomcats on real nodes over loopback. */
@Tag("slow")
class RealNodesTest {

    private final Map<String, Page> pages = new ConcurrentHashMap<>(ShopNode.pages());
    private final List<AutoCloseable> closing = new ArrayList<>();
    private final Browser browser = new Browser();

    @TempDir
    Path directory;

    private TomcatNode start(String name, Node node) {
        TomcatNode tomcat = new TomcatNode(name, directory, TomcatNode.patientManager(node), pages, none -> {});
        closing.addFirst(tomcat);
        return tomcat;
    }

    private Node node(String name, String... seeds) {
        Node node = Node.tcp(0).name(name).seeds(seeds).start();
        closing.addFirst(node);
        return node;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : closing) {
            one.close();
        }
    }

    private static void awaitMembers(int count, TomcatNode... tomcats) {
        for (TomcatNode tomcat : tomcats) {
            until(tomcat.name + " sees " + count, () -> {
                Map<String, Object> status = tomcat.manager.status();
                return ((List<?>) status.get("members")).size() == count && status.get("state-complete").equals(true);
            });
        }
    }

    @Test
    void cartIsServedByEveryNodeAndSurvivesALeave() {
        Node first = node("a");
        TomcatNode a = start("a", first);
        TomcatNode b = start("b", node("b", first.address()));
        TomcatNode c = start("c", node("c", first.address()));
        awaitMembers(3, a, b, c);
        List<TomcatNode> all = List.of(a, b, c);
        List<String> items = new ArrayList<>();
        for (int index = 0; index < 30; index++) {
            items.add("" + index);
            assertThat(browser.get(all.get(index % 3), "/add?item=" + index)).isEqualTo("" + items.size());
        }
        assertThat(a.manager.status()).containsEntry("wait-timeouts", 0L).containsEntry("malformed", 0L);
        first.close();
        awaitMembers(2, b, c);
        assertThat(browser.get(b, "/cart")).isEqualTo(items.toString());
        assertThat(browser.get(c, "/cart")).isEqualTo(items.toString());
    }

    @Test
    void joinerGetsManyLargeSessions() {
        Node first = node("a");
        TomcatNode a = start("a", first);
        List<Browser> browsers = new ArrayList<>();
        for (int index = 0; index < 50; index++) {
            Browser one = new Browser();
            browsers.add(one);
            one.get(a, "/fill?bytes=50000&seed=" + index);
        }
        TomcatNode b = start("b", node("b", first.address()));
        assertThat(browsers.getLast().get(b, "/filled")).as("served before all is there").isEqualTo("50000 of 49");
        awaitMembers(2, a, b);
        assertThat(b.manager.getActiveSessions()).isEqualTo(50);
        for (int index = 0; index < 50; index++) {
            assertThat(browsers.get(index).get(b, "/filled")).isEqualTo("50000 of " + index);
        }
    }

    /** The first TLS handshake of a JVM takes up to two seconds, while nodes wait only for half a second. */
    @Test
    void nodeWhoseFirstHandshakeIsSlowServesTheSessionsOfOthers() throws Exception {
        String secret = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";
        Node first = Node.tcp(0).name("a").secret(secret).start();
        closing.addFirst(first);
        TomcatNode a = start("a", first);
        browser.get(a, "/add?item=1");
        SlowPath slow = new SlowPath(first.address(), Duration.ofMillis(800));
        closing.addFirst(slow);
        Node second = Node.tcp(0).name("b").secret(secret).seeds(slow.address()).start();
        closing.addFirst(second);
        TomcatNode b = start("b", second);
        assertThat(browser.get(b, "/cart")).isEqualTo("[1]");
        assertThat(b.manager.status()).containsEntry("start", "joined 1 other members");
    }

    @Test
    void seedThatDoesNotAnswerIsTold() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Node node = Node.tcp(0)
                    .name("a")
                    .seeds("127.0.0.1:" + silent.getLocalPort())
                    .set("link.handshake-timeout", "200 ms")
                    .start();
            closing.addFirst(node);
            TuttiManager manager = new TuttiManager(node);
            manager.setJoinPatience("300 ms");
            TomcatNode a = new TomcatNode("a", directory, manager, pages, none -> {});
            closing.addFirst(a);
            assertThat(manager.status().get("start").toString()).contains("1 have not answered");
            assertThat(manager.status()).containsEntry("state-complete", false);
        }
    }

    @Test
    void nodeHasNothingOfTheApplicationThatStartsIt() throws Exception {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        NodeOptions options = new NodeOptions(0, false, "", new TreeMap<>(Map.of("name", "threads")), null);
        try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
            current.setContextClassLoader(application);
            Node node = SharedNodes.acquire(options).node();
            TomcatNode a = start("a", node);
            browser.get(a, "/add?item=1");
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("tutti"))
                    .isNotEmpty()
                    .noneMatch(thread -> thread.getContextClassLoader() == application);
        } finally {
            current.setContextClassLoader(before);
            SharedNodes.release(options);
        }
    }

    @Test
    void applicationsWithTheSameSettingsShareANode() {
        NodeOptions options = new NodeOptions(0, false, "", new TreeMap<>(Map.of("name", "shared")), null);
        Node one = SharedNodes.acquire(options).node();
        Node two = SharedNodes.acquire(options).node();
        assertThat(two).isSameAs(one);
        SharedNodes.release(options);
        assertThat(one.inspection().parts()).isNotEmpty();
        SharedNodes.release(options);
        Node three = SharedNodes.acquire(options).node();
        assertThat(three).isNotSameAs(one);
        SharedNodes.release(options);
    }

    @Test
    void managerIsConfiguredByAttributesAlone() {
        TuttiManager manager = new TuttiManager();
        manager.setPort(0);
        manager.setNodeName("configured");
        manager.setCluster("test");
        manager.setSeeds("127.0.0.1:1, 127.0.0.1:2");
        manager.setSettings("detection.heartbeat = 500 ms; window=1 MiB");
        TomcatNode tomcat = new TomcatNode("one", directory, manager, pages, none -> {});
        closing.add(tomcat);
        assertThat(browser.get(tomcat, "/add?item=1")).isEqualTo("1");
        assertThat(manager.status()).containsEntry("members", List.of("configured"));
        assertThat(manager.getStatusText()).contains("group: sessions:localhost:/");
        assertThat(manager.status().get("start").toString()).contains("2 refuse connections");
        assertThat(manager.status()).containsEntry("state-complete", true);
    }
}
