package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** Sites that take over the state of another one at a cut, in virtual time. The effect of each message has to be in the state once. */
@Order(2)
class ResyncTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final UnaryOperator<SiteGroupBuilder> DROPPING = settings -> settings.retain(1 << 16, WhenFull.DROP_OLDEST);

    private static Components<Ledger> start(Cluster cluster, int paddingBytes) {
        cluster.site("berlin", 1, 2, 3).site("paris", 4, 5, 6);
        if (cluster.size() > 6) {
            cluster.site("tokyo", 7, 8, 9);
        }
        cluster.latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(2));
        String[] seeds = cluster.addresses(1);
        return cluster.startAll(node -> new Ledger(
                node,
                cluster.siteOf(cluster.numberOf(node)),
                () -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds),
                paddingBytes,
                DROPPING));
    }

    private static void awaitMet(Cluster cluster, Components<Ledger> ledgers) {
        cluster.advanceUntil("sites know each other", Duration.ofSeconds(30), () -> ledgers.running().size() == cluster.size()
                && ledgers.running().stream().allMatch(ledger -> ledger.group().knownSites().size() == cluster.size() / 3 - 1));
        cluster.advance(Duration.ofSeconds(5));
    }

    /** Waits until all have the same state, and checks that each message is in it once. */
    private static Map<String, Integer> awaitEqual(Cluster cluster, Components<Ledger> ledgers) {
        cluster.advanceUntil("nobody is behind, and nothing is kept", Duration.ofSeconds(60), () -> ledgers.running().size() == cluster.size()
                && ledgers.running().stream().allMatch(ledger -> {
                    Map<String, Long> status = ledger.group().status();
                    return status.get("behind") == 0 && status.get("retained") == 0 && status.get("state-bytes") == 0;
                }));
        cluster.advance(Duration.ofSeconds(10));
        Map<String, Integer> first = ledgers.running().getFirst().counts();
        for (Ledger ledger : ledgers.running()) {
            assertThat(lacking(ledger.counts(), first)).as("messages that " + ledger.name() + " lacks").isEmpty();
            assertThat(lacking(first, ledger.counts())).as("messages that only " + ledger.name() + " has").isEmpty();
        }
        assertThat(first.values()).allMatch(count -> count == 1);
        return first;
    }

    private static List<String> lacking(Map<String, Integer> counts, Map<String, Integer> wanted) {
        return wanted.keySet().stream().filter(message -> !counts.containsKey(message)).toList();
    }

    private static void send(Components<Ledger> ledgers, int number, int count) {
        ledgers.run(number, ledger -> {
            for (int sent = 0; sent < count; sent++) {
                ledger.send();
            }
        });
    }

    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void aSiteThatHasMissedMessagesGetsThemWithTheState(Cluster cluster) {
        Components<Ledger> ledgers = start(cluster, 0);
        awaitMet(cluster, ledgers);
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10));
        send(ledgers, 1, 2_000);
        // Fewer than are kept: they are sent while the other site is away, and are not in its state.
        send(ledgers, 4, 50);
        ledgers.keep(Duration.ofMillis(100), Ledger::send);
        cluster.advance(SECOND).heal().advance(Duration.ofSeconds(20)).quiet();
        Map<String, Integer> counts = awaitEqual(cluster, ledgers);
        assertThat(ledgers.running().subList(3, 6)).allMatch(ledger -> !ledger.gaps().isEmpty() && ledger.installed() >= 1);
        assertThat(counts).hasSize(ledgers.running().stream().mapToInt(Ledger::sent).sum());
    }

    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void twoSitesThatHaveMissedMessagesGoOnWithOneState(Cluster cluster) {
        Components<Ledger> ledgers = start(cluster, 0);
        awaitMet(cluster, ledgers);
        List<Integer> before = ledgers.running().stream().map(Ledger::installed).toList();
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10));
        send(ledgers, 1, 2_000);
        send(ledgers, 4, 2_000);
        cluster.advance(SECOND).heal();
        awaitEqual(cluster, ledgers);
        List<Integer> after = ledgers.running().stream().map(Ledger::installed).toList();
        // One at least; the first one learns later what it has missed, and takes over what is left of it, too.
        assertThat(after).isNotEqualTo(before);
    }

    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void aSiteThatIsRestartedAsAWholeGetsTheStateOfAnother(Cluster cluster) {
        Components<Ledger> ledgers = start(cluster, 0);
        awaitMet(cluster, ledgers);
        send(ledgers, 1, 20);
        send(ledgers, 5, 20);
        cluster.advance(Duration.ofSeconds(5)).crash(4, 5, 6).advance(Duration.ofSeconds(10));
        send(ledgers, 2, 20);
        cluster.advance(SECOND).restart(4, 5, 6);
        awaitMet(cluster, ledgers);
        send(ledgers, 6, 20);
        assertThat(awaitEqual(cluster, ledgers)).hasSize(80);
    }

    /** What it sends after the cut is not in the state, and the other site has it before the state is there. */
    @ClusterTest(nodes = 6, seeds = 8)
    @Tag("seeds")
    @Tag("slow")
    void aSiteKeepsWhatItSendsWhileAStateComes(Cluster cluster) {
        Components<Ledger> ledgers = start(cluster, 8 << 20);
        awaitMet(cluster, ledgers);
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10));
        send(ledgers, 1, 2_000);
        // So that the state takes some seconds.
        cluster.advance(SECOND).bandwidthBetweenSites(1_000_000).heal();
        cluster.advanceUntil("a state is on its way", Duration.ofSeconds(60), () -> ledgers.running().stream()
                .anyMatch(ledger -> ledger.group().status().get("state-bytes") > 0));
        ledgers.keep(Duration.ofMillis(50), Ledger::send);
        cluster.advance(Duration.ofSeconds(20)).quiet();
        Map<String, Integer> counts = awaitEqual(cluster, ledgers);
        assertThat(ledgers.running().subList(3, 6)).allMatch(ledger -> ledger.installed() >= 1);
        assertThat(counts).hasSize(ledgers.running().stream().mapToInt(Ledger::sent).sum());
    }

    /** Masters on both sides crash while a state of some MiB is on its way, and the sites are cut off from each other. */
    @ClusterTest(nodes = 6, seeds = 6)
    @Tag("seeds")
    void aTransferThatMayFailIsDoneInTheEnd(Cluster cluster) {
        Components<Ledger> ledgers = start(cluster, 2 << 20);
        awaitMet(cluster, ledgers);
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10));
        send(ledgers, 1, 2_000);
        ledgers.keep(Duration.ofMillis(200), Ledger::send);
        cluster.heal();
        cluster.advanceUntil("a state is on its way", Duration.ofSeconds(60), () -> ledgers.running().stream()
                .anyMatch(ledger -> ledger.group().status().get("state-bytes") > 0));
        switch (cluster.random().nextInt(3)) {
            case 0 -> crash(cluster, master(ledgers, 1));
            case 1 -> crash(cluster, master(ledgers, 4));
            default -> cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10)).heal();
        }
        cluster.advance(Duration.ofSeconds(20)).quiet();
        awaitEqual(cluster, ledgers);
    }

    /** Three sites, of which one after the other misses more than is kept, while processes crash and all send. */
    @ClusterTest(nodes = 9, seeds = 20)
    @Tag("seeds")
    void threeSitesHaveOneStateAfterAnyFaults(Cluster cluster) {
        Components<Ledger> ledgers = start(cluster, 0);
        awaitMet(cluster, ledgers);
        ledgers.keep(Duration.ofMillis(100), Ledger::send);
        int[][] sites = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
        for (int round = 0; round < 3; round++) {
            int alone = cluster.random().nextInt(3);
            cluster.partition(sites[alone]).advance(Duration.ofSeconds(10));
            send(ledgers, 3 * cluster.random().nextInt(3) + 1, 1_500);
            cluster.heal();
            cluster.randomFaults(Duration.ofSeconds(4), Fault.CRASH, Fault.STOP);
            cluster.quiet().advance(Duration.ofSeconds(1 + cluster.random().nextInt(20)));
        }
        cluster.quiet().awaitRest();
        awaitEqual(cluster, ledgers);
    }

    /** Returns the master among three members. */
    private static int master(Components<Ledger> ledgers, int first) {
        int number = first;
        while (!ledgers.on(number).group().isMaster()) {
            number++;
        }
        return number;
    }

    private static void crash(Cluster cluster, int number) {
        cluster.crash(number).advance(Duration.ofSeconds(5)).restart(number);
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void aGroupThatCanNotTakeOverAStateIsNotJoined(Cluster cluster) {
        Components<Sites> all = cluster.startAll(
                node -> Sites.on(node).site("berlin").bridge(() -> Node.of(Node.defaults()).cluster("bridge")).open());
        cluster.advanceUntil("it runs", SECOND, () -> all.running().size() == 1);
        all.run(1, sites -> assertThatThrownBy(() -> sites.group("g").resynchronize().join())
                .hasMessageContaining("has no state to resynchronize"));
        all.run(1, sites -> assertThatThrownBy(() -> sites.group("h")
                        .state(Ledger.EMPTY)
                        .resynchronize()
                        .spill(Path.of("nowhere"))
                        .join())
                .hasMessageContaining("keeps its messages on disk"));
    }
}
