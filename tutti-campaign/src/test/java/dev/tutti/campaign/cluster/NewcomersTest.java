package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that join while a member ends do not delay its exclusion. */
class NewcomersTest {

    private static final int MEMBERS = 4;
    private static final Duration SETTLING = Duration.ofSeconds(3);
    private static final Duration CRASH_MAX = Duration.ofMillis(250);
    private static final Duration SILENCE_MAX = Duration.ofSeconds(4);
    private static final Duration GIVEN_UP = Duration.ofSeconds(20);

    private enum Transport {
        STREAMS,
        DATAGRAMS
    }

    private enum End {
        CRASH,
        POWER_OFF,
        PAUSE
    }

    /**
     * One scenario.
     *
     * @param victim the member that ends
     * @param startMillis time from the end of the victim to the start of the newcomers
     */
    private record Story(Transport transport, End end, int victim, int joiners, long startMillis, long seed) {

        Duration bound() {
            return transport == Transport.STREAMS && end == End.CRASH ? CRASH_MAX : SILENCE_MAX;
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void processThatEndsIsExcludedInTime(Transport transport) {
        assertExcludedInTime(transport, End.CRASH);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void memberWithoutPowerIsExcludedInTime(Transport transport) {
        assertExcludedInTime(transport, End.POWER_OFF);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void pausedMemberIsExcludedInTime(Transport transport) {
        assertExcludedInTime(transport, End.PAUSE);
    }

    private static void assertExcludedInTime(Transport transport, End end) {
        List<String> late = new ArrayList<>();
        for (int joiners : new int[] {0, 2, 4, 8}) {
            for (long startMillis : new long[] {-2_000, -300, -20, -3, -1, 0, 1, 5, 50, 500, 2_000, 2_900, 3_100}) {
                for (int victim : new int[] {1, 2}) {
                    Story story = new Story(transport, end, victim, joiners, startMillis, 1 + victim + joiners);
                    long millis = exclusionMillis(story);
                    if (millis > story.bound().toMillis()) {
                        late.add(story + ": " + millis + " ms");
                    }
                }
            }
        }
        assertThat(late).isEmpty();
    }

    /** Returns the time from the end of the victim until no other member has a view with it. */
    private static long exclusionMillis(Story story) {
        int size = MEMBERS + story.joiners();
        SimulatedCluster cluster = story.transport() == Transport.STREAMS
                ? SimulatedCluster.cluster(size, story.seed())
                : SimulatedCluster.clusterOnDatagrams(size, story.seed());
        cluster.start(IntStream.rangeClosed(1, MEMBERS).toArray()).assertOneView(SETTLING).advance(SETTLING);
        int victim = story.victim() == 1 ? cluster.coordinator(1) : 1 + cluster.coordinator(1) % MEMBERS;
        Member ended = cluster.seat(victim).member();
        long begin = cluster.simulation().nowNanos() + Math.max(0, -story.startMillis()) * 1_000_000;
        int[] newcomers = IntStream.rangeClosed(MEMBERS + 1, size).toArray();
        cluster.simulation().after(Duration.ofMillis(Math.max(0, story.startMillis())), () -> cluster.start(newcomers));
        cluster.advance(Duration.ofMillis(Math.max(0, -story.startMillis())));
        switch (story.end()) {
            case CRASH -> cluster.crash(victim);
            case POWER_OFF -> cluster.powerOff(victim);
            case PAUSE -> cluster.pause(victim);
        }
        cluster.until("nobody has a view with n" + victim + ": " + story, GIVEN_UP,
                () -> cluster.present().stream().noneMatch(seat -> isWith(seat, victim, cluster, ended)));
        long millis = (cluster.simulation().nowNanos() - begin) / 1_000_000;
        cluster.assertSafe();
        return millis;
    }

    private static boolean isWith(SimulatedMember seat, int victim, SimulatedCluster cluster, Member ended) {
        View view = seat.view();
        return cluster.numberOf(seat) != victim && view != null && view.contains(ended);
    }
}
