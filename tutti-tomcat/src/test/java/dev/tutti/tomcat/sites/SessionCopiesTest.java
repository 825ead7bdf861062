package dev.tutti.tomcat.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.sites.Sites;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** Copies of sessions at two sites with one node each, whose line takes 50 ms. */
class SessionCopiesTest {

    private static final Duration LINE = Duration.ofMillis(50);
    private static final String CART = "cart";

    /** A site whose sessions are texts. */
    private static final class Site implements SessionCopies.Sessions, AutoCloseable {

        final Sites sites;
        final SessionCopies copies;
        final Map<String, String> sessions = new TreeMap<>();
        private final Map<String, Long> takenFrom = new TreeMap<>();

        Site(Node node, Cluster cluster, String[] seeds) {
            String here = cluster.siteOf(cluster.numberOf(node));
            sites = Sites.on(node)
                    .site(here)
                    .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                    .open();
            copies = new SessionCopies(
                    sites,
                    List.of(here.equals("berlin") ? "paris" : "berlin"),
                    "shop",
                    this,
                    task -> node.threads().start("copies", task),
                    node.threads()::epochMillis);
        }

        /** A request that reads. */
        @Nullable String read() {
            copies.takeOver(CART, sessions.containsKey(CART));
            copies.onUsed(CART);
            return sessions.get(CART);
        }

        /** A request that adds something. */
        void add(String item) {
            String before = read();
            sessions.put(CART, before == null ? item : before + " " + item);
            copies.onChanged(CART);
        }

        @Override
        public @Nullable Current current(String key) {
            String session = sessions.get(key);
            return session == null ? null : new Current(1_800, session.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public long takenFrom(String key) {
            return takenFrom.getOrDefault(key, 0L);
        }

        @Override
        public boolean take(String key, byte[] image, long number) {
            sessions.put(key, new String(image, StandardCharsets.UTF_8));
            takenFrom.put(key, number);
            return true;
        }

        @Override
        public void end(String key) {
            sessions.remove(key);
        }

        int count(String name) {
            return (Integer) copies.status().get(name);
        }

        @Override
        public void close() {
            copies.close();
            sites.close();
        }
    }

    private static Components<Site> start(Cluster cluster) {
        cluster.site("berlin", 1).site("paris", 2).latencyBetweenSites(LINE, Duration.ZERO);
        String[] seeds = cluster.addresses(1);
        Components<Site> sites = cluster.startAll(node -> new Site(node, cluster, seeds));
        sites.run(1, berlin -> berlin.add("tea"));
        cluster.advanceUntil("Paris has a copy", Duration.ofSeconds(30), () -> sites.on(2).count("site-copies") == 1);
        return sites;
    }

    @ClusterTest(nodes = 2, seeds = 5)
    @Tag("seeds")
    void aChangeStandsAgainstARequestAtTheOtherSiteThatOnlyReads(Cluster cluster) {
        Components<Site> sites = start(cluster);
        sites.run(1, berlin -> berlin.add("jam"));
        cluster.advance(LINE.dividedBy(2));
        sites.run(2, paris -> assertThat(paris.read()).isEqualTo("tea"));
        cluster.advance(Duration.ofSeconds(5));
        sites.run(2, paris -> assertThat(paris.read()).isEqualTo("tea jam"));
        cluster.advance(Duration.ofSeconds(5));
        sites.run(1, berlin -> assertThat(berlin.read()).isEqualTo("tea jam"));
        assertThat(sites.on(1).count("site-copies-to-write")).isZero();
    }

    @ClusterTest(nodes = 2, seeds = 5)
    @Tag("seeds")
    void ofTwoChangesTheLaterOneStands(Cluster cluster) {
        Components<Site> sites = start(cluster);
        sites.run(1, berlin -> berlin.add("jam"));
        cluster.advance(LINE.dividedBy(2));
        sites.run(2, paris -> paris.add("milk"));
        cluster.advance(Duration.ofSeconds(5));
        sites.run(1, berlin -> assertThat(berlin.read()).isEqualTo("tea milk"));
        cluster.advance(Duration.ofSeconds(5));
        sites.run(2, paris -> assertThat(paris.read()).isEqualTo("tea milk"));
    }

    @ClusterTest(nodes = 2, seeds = 5)
    @Tag("seeds")
    void aSessionThatWasTakenOverGoesBack(Cluster cluster) {
        Components<Site> sites = start(cluster);
        sites.run(2, paris -> paris.add("milk"));
        cluster.advance(Duration.ofSeconds(5));
        sites.run(1, berlin -> berlin.add("bread"));
        cluster.advance(Duration.ofSeconds(5));
        sites.run(2, paris -> assertThat(paris.read()).isEqualTo("tea milk bread"));
    }
}
