package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.DatagramProcess;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that arrive per second over a line that loses datagrams, compared with one that does not. */
class GoodputTest {

    /** Lines, with the amount that is sent over them. */
    enum Line {
        RACK(DatagramPath.LOCAL, 60_000, 2_000, 60_000),
        RACK_SMALL(DatagramPath.LOCAL.withCapacity(125_000_000, 256 * 1024), 1_400, 20_000, 1_300),
        HALLS(DatagramPath.DISTANT.withLatency(Duration.ofMillis(1), Duration.ZERO), 1_400, 20_000, 1_300),
        COUNTRY(DatagramPath.DISTANT.withLatency(Duration.ofMillis(10), Duration.ZERO).withCapacity(12_500_000, 256 * 1024),
                1_400, 20_000, 1_300),
        SMALL_BUFFER(DatagramPath.DISTANT.withLatency(Duration.ofMillis(10), Duration.ZERO).withCapacity(12_500_000, 32 * 1024),
                1_400, 20_000, 1_300);

        final DatagramPath path;
        final int datagramBytes;
        final int frames;
        final int frameBytes;

        Line(DatagramPath path, int datagramBytes, int frames, int frameBytes) {
            this.path = path;
            this.datagramBytes = datagramBytes;
            this.frames = frames;
            this.frameBytes = frameBytes;
        }

        double bytesPerSecond(double loss, TreeMap<String, Long> counters) {
            DatagramPair pair = new DatagramPair(7, datagramBytes);
            pair.simulation.datagrams().setPath(path.withLoss(loss));
            pair.start().connect();
            pair.transfer(frames / 10, frameBytes, Duration.ofSeconds(10));
            Duration took = pair.transfer(frames, frameBytes, Duration.ofSeconds(100));
            counters.putAll(DatagramPair.counters(pair.first));
            counters.put("really-lost", pair.simulation.datagrams().count(DatagramNetwork.Fate.LOST));
            counters.put("really-lost-bytes", pair.simulation.datagrams().bytes(DatagramNetwork.Fate.LOST));
            counters.put("really-dropped", pair.simulation.datagrams().count(DatagramNetwork.Fate.DROPPED_AT_TAIL));
            counters.put("really-dropped-bytes", pair.simulation.datagrams().bytes(DatagramNetwork.Fate.DROPPED_AT_TAIL));
            return frames * (double) frameBytes / took.toNanos() * 1e9;
        }
    }

    @ParameterizedTest
    @EnumSource
    void lossCostsLittleMoreThanWhatIsLost(Line line) {
        TreeMap<String, Long> none = new TreeMap<>();
        TreeMap<String, Long> tenth = new TreeMap<>();
        TreeMap<String, Long> third = new TreeMap<>();
        double lossless = line.bytesPerSecond(0, none);
        double atTenth = line.bytesPerSecond(0.1, tenth);
        double atThird = line.bytesPerSecond(0.3, third);
        System.out.printf(
                "%s %.1f MB/s: %.1f %%, at 10 %% loss %.1f %% of that, at 30 %% %.1f %%; repeated %.2f of what was lost%n",
                line,
                line.path.bytesPerSecond() / 1e6,
                100 * lossless / line.path.bytesPerSecond(),
                100 * atTenth / lossless,
                100 * atThird / lossless,
                (double) tenth.get("resent-bytes") / (tenth.get("really-lost-bytes") + tenth.get("really-dropped-bytes")));
        assertThat(none.get("malformed") + third.get("malformed")).isZero();
        assertThat(lossless).isGreaterThan(0.7 * line.path.bytesPerSecond());
        assertThat(atTenth).isGreaterThan(0.8 * lossless);
        assertThat(atThird).isGreaterThan(0.5 * lossless);
        assertThat(tenth.get("resent-bytes"))
                .isLessThan((long) (1.2 * (tenth.get("really-lost-bytes") + tenth.get("really-dropped-bytes"))));
    }

    /** A line of 80 ms was slow when the connection began, so that its measured rate is far below that of the line. */
    @ParameterizedTest
    @ValueSource(ints = {1_400, 50_000})
    void lineThatHasBecomeFasterIsUsedSoon(int datagramBytes) {
        DatagramPair pair = new DatagramPair(7, datagramBytes);
        DatagramPath path = DatagramPath.LOCAL.withLatency(Duration.ofMillis(40), Duration.ZERO).withLoss(0.01);
        pair.simulation.datagrams().setPath(path.withCapacity(500_000, 1 << 20));
        pair.start().connect();
        pair.transfer(2_000, 1_300, Duration.ofSeconds(20));
        pair.simulation.datagrams().setPath(path.withCapacity(10_000_000, 1 << 20));
        Duration took = pair.transfer(8_000, 1_300, Duration.ofSeconds(100));
        System.out.printf("10 MB over a line that has become faster, with datagrams of %d bytes: %.2f s%n", datagramBytes, took.toNanos() / 1e9);
        assertThat(took).isLessThan(Duration.ofSeconds(5));
    }
}
