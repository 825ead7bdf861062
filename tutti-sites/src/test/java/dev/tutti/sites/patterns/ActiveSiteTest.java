package dev.tutti.sites.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.sites.Sites;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;

/** The active one of three sites of three processes in virtual time, with leases of two seconds. */
class ActiveSiteTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofMillis(20);
    private static final String[] SITES = {"berlin", "paris", "rome"};

    /** Member of the pattern, which remembers what it was told. */
    private static final class Member implements AutoCloseable {

        final Sites sites;
        final ActiveSite active;
        final List<String> told = new ArrayList<>();

        Member(Node node, Cluster cluster, String[] seeds, UnaryOperator<ActiveSiteBuilder> settings) {
            int first = (cluster.numberOf(node) - 1) / 3 * 3 + 1;
            sites = Sites.on(node)
                    .site(cluster.siteOf(cluster.numberOf(node)))
                    .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                    .open();
            active = settings.apply(ActiveSite.of(sites, "jobs")
                            .sites(SITES)
                            .founders("n" + first, "n" + (first + 1), "n" + (first + 2))
                            .lease(LEASE)
                            .onActive(term -> told.add("active " + term))
                            .onPassive(() -> told.add("passive")))
                    .open();
        }

        @Override
        public void close() {
            active.close();
            sites.close();
        }
    }

    private static Components<Member> start(Cluster cluster, UnaryOperator<ActiveSiteBuilder> settings) {
        return start(cluster, Duration.ofMillis(20), settings);
    }

    private static Components<Member> start(Cluster cluster, Duration oneWay, UnaryOperator<ActiveSiteBuilder> settings) {
        cluster.configure(node -> node.set("records.directory", "simulated"))
                .site("berlin", 1, 2, 3)
                .site("paris", 4, 5, 6)
                .site("rome", 7, 8, 9)
                .latencyBetweenSites(oneWay, oneWay);
        String[] seeds = cluster.addresses(1);
        return cluster.startAll(node -> new Member(node, cluster, seeds, settings));
    }

    /** Returns the sites that have a member that takes itself for active. */
    private static TreeSet<String> active(Components<Member> members) {
        TreeSet<String> active = new TreeSet<>();
        members.running().stream().filter(member -> member.active.isActive()).forEach(member -> active.add(member.sites.site()));
        return active;
    }

    /** Waits until all members of one site are active, while at no moment two sites are. */
    private static void awaitActive(Cluster cluster, Components<Member> members, String site, Duration within) {
        cluster.advanceUntil(site + " is active", within, () -> {
            assertThat(active(members)).hasSizeLessThan(2);
            return members.running().stream().filter(member -> member.active.isActive() && member.sites.site().equals(site)).count()
                    == members.running().stream().filter(member -> member.sites.site().equals(site)).count();
        });
    }

    @ClusterTest(nodes = 9, seeds = 2)
    void theFirstSiteIsActiveAndTheNextOneTakesOverWhenItIsLost(Cluster cluster) {
        Components<Member> members = start(cluster, settings -> settings);
        awaitActive(cluster, members, "berlin", Duration.ofSeconds(20));
        cluster.partition(1, 2, 3);
        awaitActive(cluster, members, "paris", Duration.ofSeconds(10));
        assertThat(members.on(1).active.isActive()).isFalse();
        assertThat(members.on(4).active.term()).isGreaterThan(members.on(1).active.term());
        cluster.heal().advance(Duration.ofSeconds(10));
        assertThat(active(members)).containsExactly("paris");
        assertThat(members.on(1).active.activeSite()).contains("paris");
        assertThat(members.on(1).told).hasSize(2).last().isEqualTo("passive");
        cluster.crash(4, 5, 6);
        awaitActive(cluster, members, "berlin", Duration.ofSeconds(10));
    }

    @ClusterTest(nodes = 9, seeds = 2)
    void byHandNobodyTakesOverUnlessToldTo(Cluster cluster) {
        Components<Member> members = start(cluster, ActiveSiteBuilder::byHand);
        awaitActive(cluster, members, "berlin", Duration.ofSeconds(20));
        members.run(5, member -> member.active.promote("rome"));
        awaitActive(cluster, members, "rome", Duration.ofMillis(1_500));
        cluster.crash(7, 8, 9).advance(Duration.ofSeconds(20));
        assertThat(active(members)).isEmpty();
        members.run(1, member -> member.active.promote("paris"));
        awaitActive(cluster, members, "paris", Duration.ofSeconds(10));
    }

    /**
     * A site that is divided votes with its primary partition alone, and one that was restarted waits a lease before it votes. Sites
     * are 1 to 75 ms away, and up to as much more for each message; monotonic clocks of nodes differ by up to 5 %, and their wall clocks
     * by up to a minute.
     */
    @ClusterTest(nodes = 9, seeds = 10)
    @Tag("seeds")
    void twoSitesAreNeverActive(Cluster cluster) {
        for (int number = 1; number <= 9; number++) {
            cluster.setDrift(number, cluster.random().nextLong(-25_000, 25_001));
            cluster.setWallClock(number, Duration.ofMillis(cluster.random().nextLong(-30_000, 30_001)));
        }
        Components<Member> members = start(cluster, Duration.ofMillis(1 + cluster.random().nextInt(75)), settings -> settings);
        // Which one begins depends on clocks and lines.
        cluster.advanceUntil("a site is active", Duration.ofSeconds(20), () -> active(members).size() == 1);
        TreeMap<Long, String> terms = new TreeMap<>();
        for (int round = 0; round < 8; round++) {
            disturb(cluster, members);
            int steps = 50 + cluster.random().nextInt(200);
            for (int step = 0; step < steps; step++) {
                cluster.advance(STEP);
                check(members, terms);
            }
            if (round % 2 == 1) {
                cluster.heal();
            }
        }
        cluster.heal();
        cluster.restart(crashed(members));
        cluster.advanceUntil("one site is active", Duration.ofSeconds(60), () -> {
            check(members, terms);
            return active(members).size() == 1;
        });
    }

    private static void check(Components<Member> members, TreeMap<Long, String> terms) {
        assertThat(active(members)).hasSizeLessThan(2);
        for (Member member : members.running()) {
            if (member.active.isActive()) {
                assertThat(terms.putIfAbsent(member.active.term(), member.sites.site())).isIn(null, member.sites.site());
            }
        }
    }

    private static int[] crashed(Components<Member> members) {
        TreeSet<String> running = new TreeSet<>();
        members.running().forEach(member -> running.add(member.sites.node().name()));
        return IntStream.rangeClosed(1, 9).filter(number -> !running.contains("n" + number)).toArray();
    }

    private static void disturb(Cluster cluster, Components<Member> members) {
        int site = cluster.random().nextInt(3);
        int[] all = {3 * site + 1, 3 * site + 2, 3 * site + 3};
        int[] crashed = crashed(members);
        switch (cluster.random().nextInt(7)) {
            case 0 -> cluster.partition(all);
            case 1 -> cluster.partition(all[0], 1 + cluster.random().nextInt(9));
            case 2 -> cluster.partition(all[0], all[1], 1 + cluster.random().nextInt(9), 1 + cluster.random().nextInt(9));
            case 3 -> {
                if (crashed.length == 0) {
                    cluster.crash(all[cluster.random().nextInt(3)]);
                } else {
                    cluster.restart(crashed);
                }
            }
            case 4 -> {
                if (crashed.length == 0) {
                    cluster.crash(all).advance(Duration.ofMillis(cluster.random().nextInt(3_000))).restart(all);
                }
            }
            default -> {
                if (!members.running().isEmpty()) {
                    Member teller = members.running().get(cluster.random().nextInt(members.running().size()));
                    members.run(cluster.numberOf(teller.sites.node()), member -> promote(member, SITES[site]));
                }
            }
        }
    }

    private static void promote(Member member, String site) {
        try {
            member.active.promote(site);
        } catch (SendException e) {
            // Not accepted: nothing follows from it.
        }
    }
}
