package dev.tutti.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.QuickJvm;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.systems.GroupSystem;
import dev.tutti.bench.systems.GroupSystem.Seat;
import dev.tutti.bench.systems.NativeZeroMq;
import dev.tutti.bench.systems.NatsSystem;
import dev.tutti.bench.systems.SystemKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Tests with real processes, few and briefly, that systems are measured correctly; the figures are not tested. */
@Tag("slow")
@Timeout(120)
class BenchTest {

    private static final List<String> OPTIONS =
            Stream.concat(Stream.of("-Xmx64m"), QuickJvm.options().stream()).toList();
    private static final Layout LAYOUT = Layout.of(OPTIONS);
    private static final Layout TOGETHER = new Layout(OPTIONS, true, List.of());

    /**
     * Leaves out systems that differ from another one in values only, those outside of the JVM, which are not part of
     * the build, a pair, which has no multicast, and those that need a relay. Both members are in one process, which costs half as much; other
     * tests have one for each.
     */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = {"NATS|ZEROMQ|LIMIT_PAIR", ".*_(RELAYED|TUNNEL).*", "JGROUPS_.*(STOCK|TUNED|UNCONTROLLED)"})
    void everySystemDeliversWhatIsSent(SystemKind kind) {
        try (BenchCluster cluster = new BenchCluster(kind, 2, TOGETHER)) {
            cluster.form();
            Outcome first = cluster.run(
                    new Phase(1, 2, 100, Duration.ofMillis(50), Duration.ofMillis(1), Duration.ZERO));
            assertThat(first.faults()).isEmpty();
            assertThat(first.sent()).isPositive();
            Outcome second =
                    cluster.run(new Phase(2, 1, 100_000, Duration.ofMillis(20), Duration.ofMillis(300), Duration.ZERO));
            assertThat(second.faults()).isEmpty();
            assertThat(second.own()).isEqualTo(kind.deliversToSender() ? second.sent() : 0);
            assertThat(second.others()).isEqualTo(second.sent());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ALL, names = "JGROUPS.*")
    void theReferenceUnderstandsItsConfigurations(SystemKind kind) {
        Receipts receipts = new Receipts(2) {
            @Override
            void onPing(int rank, int phase) {}

            @Override
            public void onView(List<Integer> members, int coordinator, String id) {}
        };
        GroupSystem system = kind.open(new Seat(0, BenchCluster.freePorts(2)), receipts);
        assertThatNoException().isThrownBy(system::start);
        system.close();
    }

    @Test
    void aMissingBrokerIsNamed() {
        Layout layout = Layout.of(List.of("-Xmx64m", "-D" + NatsSystem.PROGRAM + "=/nowhere/nats-server"));
        try (BenchCluster cluster = new BenchCluster(SystemKind.NATS, 2, layout)) {
            assertThatExceptionOfType(BenchException.class)
                    .isThrownBy(cluster::form)
                    .withMessageContaining("/nowhere/nats-server")
                    .withMessageContaining("go install");
        }
    }

    @Test
    void aMissingLibraryIsNamed() {
        Layout layout = Layout.of(List.of(
                "-Xmx64m", "--enable-native-access=ALL-UNNAMED", "-D" + NativeZeroMq.LIBRARY + "=/nowhere/libzmq.so"));
        try (BenchCluster cluster = new BenchCluster(SystemKind.ZEROMQ, 2, layout)) {
            assertThatExceptionOfType(BenchException.class)
                    .isThrownBy(cluster::form)
                    .withMessageContaining("/nowhere/libzmq.so")
                    .withMessageContaining("apt-get install");
        }
    }

    @Test
    void countsAndOrdersMessagesOfManyThreads() {
        try (BenchCluster cluster = new BenchCluster(SystemKind.TUTTI, 2, LAYOUT)) {
            cluster.form();
            Outcome outcome = cluster.run(
                    new Phase(1, 2, 3, 100, Duration.ofSeconds(20), 500, Duration.ZERO, Duration.ZERO));
            assertThat(outcome.faults()).isEmpty();
            assertThat(outcome.sent()).isEqualTo(2 * 3 * 500);
            assertThat(outcome.deliveries()).isEqualTo(2 * outcome.sent());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TUTTI", "JGROUPS", "LIMIT"})
    void verifiesMessagesOfOneByte(SystemKind kind) {
        try (BenchCluster cluster = new BenchCluster(kind, 3, LAYOUT)) {
            cluster.form();
            Outcome outcome = cluster.run(
                    new Phase(1, 3, 1, 1, Duration.ofSeconds(20), 1_000, Duration.ZERO, Duration.ZERO));
            assertThat(outcome.faults()).isEmpty();
            assertThat(outcome.deliveries()).isEqualTo(3 * 3 * 1_000);
        }
    }

    @Test
    void membersInOneProcessAreMeasuredOnce() {
        try (BenchCluster cluster = new BenchCluster(SystemKind.TUTTI, 3, TOGETHER)) {
            cluster.form();
            Outcome outcome = cluster.run(
                    new Phase(1, 3, 1, 1024, Duration.ofSeconds(20), 2_000, Duration.ZERO, Duration.ZERO));
            assertThat(outcome.faults()).isEmpty();
            assertThat(outcome.deliveries()).isEqualTo(3 * 3 * 2_000);
            // No more than all cores can have computed in the time, with some tolerance for the clock's ticks.
            long cores = Runtime.getRuntime().availableProcessors();
            assertThat(outcome.usage().cpuNanos()).isLessThan(cores * (outcome.nanos() + 2_000_000_000L));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TUTTI", "LIMIT", "LIMIT_PAIR"})
    void pingsAreAnsweredAndTimed(SystemKind kind) {
        try (BenchCluster cluster = new BenchCluster(kind, 2, LAYOUT)) {
            cluster.form();
            Line ping = Line.of("ping").with("size", 64).with("timeout", 10_000_000_000L);
            for (int round = 0; round < 2; round++) {
                cluster.children().getLast().say(ping).await("answering", Duration.ofSeconds(10));
                Line pinged = cluster.children()
                        .getFirst()
                        .say(ping.to(0).with("to", 1).with("count", 50))
                        .await("pinged", Duration.ofSeconds(20));
                cluster.children().getLast().await("answered", Duration.ofSeconds(10));
                Histogram times = Latencies.parse(pinged.text("nanos"));
                assertThat(times.getTotalCount()).isEqualTo(50);
                assertThat(times.getMinValue()).isPositive();
            }
        }
    }

    /** The first lost message is noticed, and every message after it is out of place. */
    @ParameterizedTest
    @EnumSource(names = {"TUTTI", "JGROUPS"})
    void aLostMessageIsAFault(SystemKind kind) {
        Layout losing = Layout.of(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-Dbench.lose=100"));
        try (BenchCluster cluster = new BenchCluster(kind, 2, losing)) {
            cluster.form();
            Outcome outcome = cluster.run(
                    new Phase(1, 1, 1, 1024, Duration.ofSeconds(20), 150, Duration.ZERO, Duration.ZERO));
            assertThat(outcome.faults()).isNotEmpty();
            assertThat(outcome.faults().getFirst()).contains("149 messages received and 150 sent");
        }
    }

    /** Repeats, because the clock of a process's CPU may tick every 10 ms only, which short phases do not fill. */
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
}
