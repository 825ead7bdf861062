package dev.tutti.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The worked example of docs/operating/testing.md: the requirements for a replicated counter. */
@Order(2)
class CounterTest {

    private final AtomicLong increments = new AtomicLong();

    @ClusterTest(nodes = 4, seeds = 20)
    @Tag("seeds")
    void countsOnBothSidesOfAPartition(Cluster cluster) {
        Components<Counter> counters = cluster.startAll(Counter::new);
        cluster.awaitOneView();
        counters.keep(Duration.ofMillis(20), counter -> {
            counter.increment();
            increments.incrementAndGet();
        });
        cluster.advance(Duration.ofSeconds(1)).partition(1, 2).advance(Duration.ofSeconds(10)).heal().awaitRest();
        assertThat(counters.running()).extracting(Counter::value).hasSize(4).containsOnly(increments.get());
    }

    @ClusterTest(nodes = 4, seeds = 20)
    @Tag("seeds")
    void losesNothingWhileNobodyCrashes(Cluster cluster) {
        Components<Counter> counters = cluster.startAll(Counter::new);
        counters.keep(Duration.ofMillis(50), counter -> {
            counter.increment();
            increments.incrementAndGet();
        });
        cluster.randomFaults(
                        Duration.ofSeconds(20), Fault.PARTITION, Fault.CUT, Fault.BREAK, Fault.PAUSE, Fault.SLOWNESS)
                .awaitRest();
        assertThat(counters.running()).extracting(Counter::value).hasSize(4).containsOnly(increments.get());
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void isTheSameEverywhereAfterwardsWhateverGoesWrong(Cluster cluster) {
        Components<Counter> counters = cluster.startAll(Counter::new);
        counters.keep(Duration.ofMillis(50), Counter::increment);
        cluster.randomFaults(Duration.ofSeconds(20)).awaitRest();
        assertThat(counters.running()).extracting(Counter::value).hasSize(5).containsOnly(counters.on(1).value());
    }
}
