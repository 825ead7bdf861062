package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.sites.Sites;
import dev.tutti.testing.Ports;
import dev.tutti.tomcat.TomcatNode.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tomcats at two sites, over loopback. */
@Tag("slow")
class TwoSitesTest {

    private final Map<String, Page> pages = new HashMap<>(ShopNode.pages());
    private final Browser browser = new Browser();
    private final Map<String, Place> running = new TreeMap<>();
    private final List<String> bridges = new ArrayList<>();

    @TempDir
    Path directory;

    private record Place(Node node, Sites sites, TomcatNode tomcat) {}

    @BeforeEach
    void addPages() {
        pages.put("/logout", (request, response) -> request.getSession().invalidate());
        pages.put("/rename", (request, response) -> response.getWriter().print(request.changeSessionId()));
    }

    private TomcatNode start(String name, String site, String other, String... seeds) {
        Node node = Node.tcp(0).name(name).cluster(site).seeds(seeds).start();
        Sites sites = Sites.on(node)
                .site(site)
                .bridge(() -> Node.tcp(0).cluster("bridge").seeds(bridges.toArray(String[]::new)))
                .open();
        until(name + " is a master", sites::isMaster);
        bridges.add(sites.bridgeAddress().orElseThrow());
        TuttiManager manager = new TuttiManager(sites);
        manager.setOtherSites(other);
        manager.setStartTimeout(running.isEmpty() ? "1 ms" : "20 s");
        // Nobody is left to hand sessions over to.
        manager.setStopTimeout("1 s");
        TomcatNode tomcat = new TomcatNode(name, directory, manager, pages, none -> {});
        running.put(name, new Place(node, sites, tomcat));
        return tomcat;
    }

    /** Ends a node as the loss of its machine does: nothing is written, nobody is told. */
    private void lose(String... names) {
        for (String name : names) {
            Place place = running.remove(name);
            place.sites.close();
            place.node.close();
            place.tomcat.close();
        }
    }

    @AfterEach
    void closeAll() {
        lose(running.keySet().toArray(String[]::new));
    }

    private static void awaitCopy(TomcatNode at, int count) {
        until(at.name + " has copies", () -> at.manager.status().get("site-copies").equals(count));
    }

    private static void awaitWritten(TomcatNode at) {
        until(at.name + " has written its copies", () -> at.manager.status().get("site-copies-to-write").equals(0));
    }

    @Test
    void aSiteGoesOnWithTheSessionsOfALostOneAndHandsThemBack() {
        TomcatNode berlin = start("b1", "berlin", "paris");
        TomcatNode second = start("b2", "berlin", "paris", running.get("b1").node.address());
        TomcatNode paris = start("p1", "paris", "berlin");
        assertThat(browser.get(berlin, "/add?item=tea")).isEqualTo("1");
        assertThat(browser.get(second, "/add?item=milk")).isEqualTo("2");
        awaitCopy(paris, 1);
        awaitWritten(second);
        lose("b1", "b2");
        until("the second item is there", () -> browser.get(paris, "/cart").equals("[tea, milk]"));
        assertThat(browser.get(paris, "/add?item=bread")).isEqualTo("3");
        TomcatNode back = start("b3", "berlin", "paris");
        assertThat(browser.get(back, "/cart")).isEqualTo("[tea, milk, bread]");
        assertThat(browser.get(back, "/add?item=jam")).isEqualTo("4");
        awaitWritten(back);
        until("Paris takes it over again", () -> browser.get(paris, "/cart").equals("[tea, milk, bread, jam]"));
        assertThat((Long) paris.manager.status().get("site-sessions-taken-over")).isGreaterThanOrEqualTo(2);
    }

    @Test
    void aSessionThatHasEndedAtOneSiteIsNotRevivedAtTheOther() {
        TomcatNode berlin = start("b1", "berlin", "paris");
        TomcatNode paris = start("p1", "paris", "berlin");
        browser.get(berlin, "/add?item=tea");
        awaitCopy(paris, 1);
        assertThat(browser.get(paris, "/cart")).isEqualTo("[tea]");
        String id = browser.session();
        browser.get(paris, "/logout");
        awaitCopy(berlin, 0);
        until("Berlin has ended it, too", () -> berlin.manager.getActiveSessions() == 0);
        assertThat(new Browser().useSession(id).get(berlin, "/cart")).isEqualTo("no session");
    }

    @Test
    void anIdThatWasChangedIsNoneAtTheOtherSite() {
        TomcatNode berlin = start("b1", "berlin", "paris");
        TomcatNode paris = start("p1", "paris", "berlin");
        browser.get(berlin, "/add?item=tea");
        awaitCopy(paris, 1);
        String former = browser.session();
        browser.get(berlin, "/rename");
        awaitWritten(berlin);
        until("the former id has no copy", () -> new Browser().useSession(former).get(paris, "/cart").equals("no session"));
        assertThat(browser.get(paris, "/cart")).isEqualTo("[tea]");
    }

    /** As a {@code context.xml} does it. */
    @Test
    void sitesAreConfiguredByAttributesAlone() throws IOException {
        int[] ports = {freePort(), freePort()};
        String seeds = "127.0.0.1:" + ports[0] + ", 127.0.0.1:" + ports[1];
        List<TomcatNode> tomcats = new ArrayList<>();
        try {
            for (int index = 0; index < 2; index++) {
                TuttiManager manager = new TuttiManager();
                manager.setPort(0);
                manager.setCluster(index == 0 ? "shop-berlin" : "shop-paris");
                manager.setSite(index == 0 ? "berlin" : "paris");
                manager.setOtherSites(index == 0 ? "paris" : "berlin");
                manager.setBridgeCluster("shop-bridge");
                manager.setBridgePort(ports[index]);
                manager.setBridgeSeeds(seeds);
                manager.setStartTimeout(index == 0 ? "1 ms" : "20 s");
                tomcats.add(new TomcatNode("n" + index, directory, manager, pages, none -> {}));
            }
            assertThat(browser.get(tomcats.getFirst(), "/add?item=tea")).isEqualTo("1");
            awaitCopy(tomcats.getLast(), 1);
            assertThat(browser.get(tomcats.getLast(), "/cart")).isEqualTo("[tea]");
        } finally {
            tomcats.forEach(TomcatNode::close);
        }
    }

    @Test
    void attributesOfABridgeNeedASite() {
        ManagerSettings settings = new ManagerSettings();
        settings.sites().setSeeds("127.0.0.1:7801");
        assertThatThrownBy(() -> settings.nodeOptions(directory))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("site is not set");
    }

    private static int freePort() throws IOException {
        return Ports.lasting();
    }
}
