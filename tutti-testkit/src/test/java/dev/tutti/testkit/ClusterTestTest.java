package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tutti.Group;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Choice of the seeds that run, and messages of failures. */
class ClusterTestTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    /** Not run by themselves: they are there to fail. */
    static final class Cases {

        private boolean hasCluster;

        @BeforeEach
        void see(Cluster cluster) {
            hasCluster = cluster.size() == 2;
        }

        @ClusterTest(nodes = 2, seeds = 5)
        void passes(Cluster cluster) {
            assertThat(hasCluster).isTrue();
            cluster.startAll(node -> node.group("g").join());
            cluster.awaitOneView();
        }

        @ClusterTest(nodes = 2, seeds = 50)
        void failsAtThree(Cluster cluster) {
            if (cluster.seed() == 3) {
                cluster.note("here it goes");
                fail("three is wrong");
            }
        }

        @ClusterTest(nodes = 2, seeds = 5)
        void isNotRepeatable(Cluster cluster) {
            cluster.startAll(node -> node.group("g").join());
            cluster.awaitOneView().note("run " + RUNS.incrementAndGet());
        }

        @ClusterTest(nodes = 2, seeds = 5)
        void hasAListenerThatFails(Cluster cluster) {
            Components<Group> groups = cluster.startAll(node -> node.group("g")
                    .onMessage(message -> Integer.parseInt(message.text()))
                    .join());
            cluster.awaitOneView();
            groups.on(2).send("no number");
            cluster.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void theFirstSeedRunsTwiceAndTheOthersOnce() {
        assertThat(FailingTests.failuresOf(Cases.class, "passes")).isEmpty();
        assertThat(FailingTests.namesOf(Cases.class, "passes", Map.of()))
                .containsExactly("seed 1", "seed 1", "seed 2", "seed 3", "seed 4", "seed 5");
    }

    @Test
    void nothingRunsAfterTheFirstSeedThatFails() {
        assertThat(FailingTests.namesOf(Cases.class, "failsAtThree", Map.of())).last().isEqualTo("seed 3");
    }

    @Test
    void failureTellsItsSeedWhatHappenedAndHowToRunItAlone() {
        List<Throwable> failures = FailingTests.failuresOf(Cases.class, "failsAtThree");
        assertThat(failures).hasSize(1);
        assertThat(failures.getFirst())
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("three is wrong")
                .hasMessageContaining("2 processes, seed 3, at 0.000000 s of virtual time")
                .hasMessageContaining("n1 is down")
                .hasMessageContaining("here it goes")
                .hasMessageContaining("mvn test '-Dtest=ClusterTestTest$Cases#failsAtThree' -Dtutti.test.seed=3");
    }

    @Test
    void propertyChoosesOneSeedOrTheirNumber() {
        assertThat(FailingTests.namesOf(Cases.class, "failsAtThree", Map.of("tutti.test.seed", "17")))
                .containsExactly("seed 17");
        assertThat(FailingTests.namesOf(Cases.class, "failsAtThree", Map.of("tutti.test.seeds", "1")))
                .containsExactly("seed 1");
        assertThat(FailingTests.namesOf(Cases.class, "failsAtThree", Map.of("tutti.test.seeds.max", "2")))
                .containsExactly("seed 1", "seed 1", "seed 2");
        assertThat(FailingTests.namesOf(Cases.class, "failsAtThree", Map.of("tutti.test.seeds.max", "100")))
                .last()
                .isEqualTo("seed 3");
        assertThat(FailingTests.failuresOf(Cases.class, "failsAtThree", Map.of("tutti.test.seeds.max", "0")))
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("0 seeds"));
        assertThat(FailingTests.failuresOf(Cases.class, "failsAtThree", Map.of("tutti.test.seed", "x")))
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("tutti.test.seed is 'x'"));
    }

    @Test
    void componentThatDoesNotRepeatItselfIsFound() {
        assertThat(FailingTests.failuresOf(Cases.class, "isNotRepeatable"))
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .hasMessageContaining("two runs with seed 1 went different ways")
                        .hasMessageContaining("run "));
    }

    @Test
    void listenerThatFailsFailsTheTest() {
        assertThat(FailingTests.failuresOf(Cases.class, "hasAListenerThatFails"))
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .hasMessageStartingWith("java.lang.NumberFormatException")
                        .hasMessageContaining("has a callback onMessage of group g that fails"));
    }
}
