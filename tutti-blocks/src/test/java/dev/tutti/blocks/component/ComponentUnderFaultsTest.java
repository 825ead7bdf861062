package dev.tutti.blocks.component;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.blocks.component.ComponentTest.Kind;
import dev.tutti.blocks.component.ComponentTest.Shop;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;

/** Members crash one after the other, and come back: no call is executed twice, and none whose result was told is lost. */
class ComponentUnderFaultsTest {

    private final Set<Integer> results = new TreeSet<>();
    private int told;
    private int called;

    private void run(Cluster cluster, Kind kind) {
        Components<Shop> shops = cluster.startAll(node -> new Shop(node, kind));
        cluster.awaitOneView();
        shops.keep(Duration.ofMillis(20), shop -> {
            called++;
            int count = shop.stock.add("tea", 1);
            results.add(count);
            told++;
        });
        for (int number = 1; number <= 4; number++) {
            cluster.advance(Duration.ofMillis(500)).crash(number).advance(Duration.ofMillis(700)).restart(number);
        }
        cluster.quiet().advance(Duration.ofSeconds(6)).awaitRest();
        int count = shops.ask(1, shop -> shop.stock.countHere("tea"));
        assertThat(shops.running()).hasSize(4);
        for (int number = 2; number <= 4; number++) {
            assertThat(shops.<Integer>ask(number, shop -> shop.stock.countHere("tea"))).isEqualTo(count);
        }
        assertThat(told).isGreaterThan(100);
        // Each told result is another number, so that none was executed twice and told differently.
        assertThat(results).hasSize(told);
        assertThat(count).isBetween(told, called);
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void activeCallsAreExecutedAtMostOnce(Cluster cluster) {
        run(cluster, Kind.ACTIVE);
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void passiveCallsAreExecutedAtMostOnce(Cluster cluster) {
        run(cluster, Kind.PASSIVE);
    }
}
