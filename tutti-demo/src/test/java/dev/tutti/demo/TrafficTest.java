package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TrafficTest {

    private static final DemoCluster.Kill KILL = new DemoCluster.Kill("node1", 1_000, 2_000);

    private final Traffic traffic = new Traffic();

    private List<FailedRequest> unexcused(String route, long sentNanos, long failedNanos) {
        traffic.onFailed(new FailedRequest(route, sentNanos, failedNanos, "a request"));
        return traffic.unexcused(List.of(KILL));
    }

    @Test
    void excusesARequestInFlightAtTheKilledNode() {
        assertThat(unexcused("node1", 500, 1_500)).isEmpty();
        assertThat(traffic.failed()).isEqualTo(1);
    }

    @Test
    void excusesARequestSentBeforeTheProcessWasGone() {
        assertThat(unexcused("node1", 1_999, 9_000)).isEmpty();
    }

    @Test
    void doesNotExcuseARequestAtAnotherNode() {
        assertThat(unexcused("node2", 500, 1_500)).hasSize(1);
    }

    @Test
    void doesNotExcuseARequestThatFailedBeforeTheKill() {
        assertThat(unexcused("node1", 500, 999)).hasSize(1);
    }

    @Test
    void doesNotExcuseARequestSentWhenTheNodeWasGone() {
        assertThat(unexcused("node1", 2_001, 3_000)).hasSize(1);
    }

    @Test
    void doesNotExcuseAnythingWithoutAKill() {
        traffic.onFailed(new FailedRequest("node1", 1, 2, "a request"));
        assertThat(traffic.unexcused(List.of())).hasSize(1);
    }

    @Test
    void countsAnswersByNode() {
        traffic.onAnswered("node1", System.nanoTime());
        traffic.onAnswered("node2", System.nanoTime());
        traffic.onAnswered("node2", System.nanoTime());
        assertThat(traffic.answered()).isEqualTo(3);
        assertThat(traffic.answeredBy("node2")).isEqualTo(2);
        assertThat(traffic.answeredBy("node3")).isZero();
    }
}
