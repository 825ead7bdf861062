package dev.tutti.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.FailingTests;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The kit finds the mistake of a counter that looks right, and does not find it in the corrected one. */
class ForgetfulCounterTest {

    /** Not run by itself: it is there to fail. */
    static final class Demands {

        private final AtomicLong increments = new AtomicLong();

        private void increment(ForgetfulCounter counter) {
            counter.increment();
            increments.incrementAndGet();
        }

        /** The case that everybody tries by hand. */
        @ClusterTest(nodes = 3, seeds = 20)
        void countsAtAllMembers(Cluster cluster) {
            Components<ForgetfulCounter> counters = cluster.startAll(ForgetfulCounter::new);
            cluster.awaitOneView();
            counters.keep(Duration.ofMillis(20), this::increment);
            cluster.advance(Duration.ofSeconds(1)).awaitRest();
            assertThat(counters.running()).extracting(ForgetfulCounter::value).containsOnly(increments.get());
        }

        @ClusterTest(nodes = 4, seeds = 20)
        void countsOnBothSidesOfAPartition(Cluster cluster) {
            Components<ForgetfulCounter> counters = cluster.startAll(ForgetfulCounter::new);
            cluster.awaitOneView();
            counters.keep(Duration.ofMillis(20), this::increment);
            cluster.advance(Duration.ofSeconds(1)).partition(1, 2).advance(Duration.ofSeconds(10)).heal().awaitRest();
            assertThat(counters.running()).extracting(ForgetfulCounter::value).containsOnly(increments.get());
        }

        /** No partition: a newcomer, while the others continue to count. */
        @ClusterTest(nodes = 3, seeds = 100)
        void tellsANewcomerWhereTheCountIs(Cluster cluster) {
            Components<ForgetfulCounter> counters = cluster.deploy(ForgetfulCounter::new);
            cluster.start(1, 2).awaitOneView();
            counters.keep(Duration.ofMillis(1), this::increment);
            cluster.advance(Duration.ofSeconds(1)).start(3).awaitRest();
            assertThat(counters.on(3).value()).isEqualTo(increments.get());
        }
    }

    @Test
    void worksAsLongAsNothingHappens() {
        assertThat(FailingTests.failuresOf(Demands.class, "countsAtAllMembers")).isEmpty();
    }

    @Test
    void losesWhatOneSideOfAPartitionHasCounted() {
        List<Throwable> failures = FailingTests.failuresOf(Demands.class, "countsOnBothSidesOfAPartition");
        assertThat(failures).hasSize(1);
        assertThat(failures.getFirst())
                .hasMessageContaining("seed 1,")
                .hasMessageContaining("the network parts [n1, n2] from [n3, n4]")
                .hasMessageContaining("-Dtest=ForgetfulCounterTest$Demands#countsOnBothSidesOfAPartition' -Dtutti.test.seed=1");
    }

    @Test
    void overwritesWhatANewcomerHasCountedAlready() {
        List<Throwable> failures = FailingTests.failuresOf(Demands.class, "tellsANewcomerWhereTheCountIs");
        assertThat(failures).as("found within 100 seeds, and nothing after it was run").hasSize(1);
    }
}
