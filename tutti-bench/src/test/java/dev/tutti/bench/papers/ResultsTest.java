package dev.tutti.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures from results as commands write them. */
class ResultsTest {

    private static Map<String, Object> load(int members, int bytes, double rate) {
        return Map.of(
                "pattern", "n-n", "members", members, "bytes", bytes, "threads", 1,
                "systems", Map.of("tutti", Map.of("messages-per-second", Map.of("median", rate)), "jgroups", Map.of("fault", "lost")));
    }

    private static Results results(Object... list) {
        return new Results(Map.of("results", List.of(list)));
    }

    @Test
    void aRateIsThatOfItsLoad() {
        Results results = results(load(2, 1000, 800), load(16, 1000, 1600));
        assertThat(Results.rate("n-n", 16, 1000, 1 / 16.0).of(results, "tutti")).isEqualTo("100");
        assertThat(Results.rate("n-n", 8, 1000, 1).of(results, "tutti")).isEmpty();
        assertThat(Results.rate("n-n", 16, 1000, 1).of(results, "jgroups")).isEmpty();
    }

    @Test
    void aFallComparesSendersAndSaysBetweenWhichNumbers() {
        Results results = results(load(2, 1000, 800), load(2, 10_000, 1), load(8, 1000, 1600));
        assertThat(Results.fall(1000).of(results, "tutti")).isEqualTo("2.00 (2 to 8)");
        assertThat(Results.fall(10_000).of(results, "tutti")).isEmpty();
        assertThat(Results.fall(1000).of(results, "jgroups")).isEmpty();
        assertThat(Results.most("n-n").of(results, "tutti")).isEqualTo("1,600 (8)");
        assertThat(Results.delivered().of(results, "jgroups")).isEqualTo("0 of 3");
    }

    @Test
    void ratiosOfRequestsAreOverAllMixes() {
        Results results = results(requests(25, 300, 100), requests(25, 100, 100), requests(500, 10, 100));
        assertThat(Results.requestRatio("jgroups", 1, 199).of(results, "tutti")).isEqualTo("1.00 to 3.00");
        assertThat(Results.requestRatio("jgroups", 200, 500).of(results, "tutti")).isEqualTo("0.10");
        assertThat(Results.requests(12, 500, 1000).of(results, "tutti")).isEqualTo("10.0");
    }

    private static Map<String, Object> requests(int threads, double own, double other) {
        return Map.of(
                "members", 12, "threads", threads, "bytes", 1000,
                "systems", Map.of(
                        "tutti", Map.of("requests-per-second-and-node", Map.of("median", own)),
                        "jgroups", Map.of("requests-per-second-and-node", Map.of("median", other))));
    }

    @Test
    void largeMessagesFailAtANumberOrNever() {
        Results results = results(
                Map.of("system", "tutti", "pattern", "1-n", "first", 0, "most", 100),
                Map.of("system", "jgroups", "pattern", "1-n", "first", 10, "most", 100));
        assertThat(Results.large("1-n").of(results, "tutti")).isEqualTo("none up to 100");
        assertThat(Results.large("1-n").of(results, "jgroups")).isEqualTo("10");
        assertThat(Results.large("n-n").of(results, "jgroups")).isEmpty();
    }

    @Test
    void pathsOfTheGridAreComparedWithABareSocket() {
        Results results = new Results(Map.of("sizes", List.of(path("socket", 1_000_000, 100), path("direct", 1_250_000, 95))));
        assertThat(Results.pathShare("socket", 1024).of(results, "direct")).isEqualTo("95.0 %");
        assertThat(Results.pathMore("socket", 1024).of(results, "direct")).isEqualTo("0.25");
        assertThat(Results.pathMore("socket", 2048).of(results, "direct")).isEmpty();
    }

    private static Map<String, Object> path(String name, long nanos, double bandwidth) {
        return Map.of("path", name, "bytes", 1024, "round-trip-nanos", Map.of("median", nanos), "mib-per-second", bandwidth);
    }
}
