package dev.tutti.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.bench.Cluster.Outcome;
import dev.tutti.bench.Cluster.Phase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real processes, few and briefly: that the measurements work, not what they measure. */
@Timeout(60)
class BenchTest {

    private static final List<String> OPTIONS = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @ParameterizedTest
    @EnumSource
    void everySystemDeliversWhatIsSent(SystemKind kind) {
        try (Cluster cluster = new Cluster(kind, 2, OPTIONS)) {
            cluster.form();
            Outcome first = cluster.run(
                    new Phase(1, 2, 100, Duration.ofMillis(50), Duration.ofMillis(1), Duration.ZERO));
            assertThat(first.faults()).isEmpty();
            assertThat(first.sent()).isPositive();
            Outcome second =
                    cluster.run(new Phase(2, 1, 100_000, Duration.ofMillis(20), Duration.ofMillis(300), Duration.ZERO));
            assertThat(second.faults()).isEmpty();
            assertThat(second.own()).isEqualTo(second.sent());
            assertThat(second.others()).isEqualTo(second.sent());
        }
    }

    /** In a loop, because the clock of a process's CPU may tick every 10 ms only, which short phases do not fill. */
    @Test
    void whatIsComputedAndAllocatedIsCounted() {
        Usage before = Usage.now();
        Usage used = Usage.now().minus(before);
        while (used.cpuNanos() == 0) {
            used = Usage.now().minus(before);
        }
        assertThat(used.cpuNanos()).isPositive();
        assertThat(used.allocatedBytes()).isPositive();
    }

    @Test
    void aCommandPrintsAndWritesItsFigures(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("figures.json");
        int code = Bench.run("throughput", "--members", "2", "--repetitions", "1", "--warmup", "20ms", "--time", "20ms",
                "--systems", "limit", "--json", file.toString());
        assertThat(code).isZero();
        assertThat(Files.readString(file)).contains("\"messages-per-second\"").contains("\"limit\"");
    }

    @Test
    void wrongUsageIsRefused() {
        assertThat(Bench.run("throughput", "--systems", "tuti")).isEqualTo(2);
        assertThat(Bench.run("throughput", "--size", "1024")).isEqualTo(2);
        assertThat(Bench.run("throughput", "--mode", "n")).isEqualTo(1);
        assertThat(Bench.run("nothing")).isEqualTo(2);
    }
}
