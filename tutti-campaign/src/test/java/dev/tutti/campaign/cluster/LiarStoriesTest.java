package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A member that tells one lie, and what the others suffer. */
class LiarStoriesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A member that joined and answered no ballot used to stop the others for 5 s of every 5.6 s. */
    @Test
    void memberThatAnswersNoBallotStopsTheOthersLessAndLess() {
        SimulatedCluster cluster = SimulatedCluster.cluster(3).with(GroupSettings.BALLOT_TIMEOUT, SECOND);
        cluster.simulation().withInterceptor((from, to, frame) -> {
            if (!from.name().equals("n3") || !MessageTrigger.Message.ACK.is(frame)) {
                return frame;
            }
            byte[] question = Arrays.copyOf(frame, 6);
            question[5] = 6;
            return question;
        });
        cluster.start(1, 2).assertOneViewOf(SECOND, 1, 2);
        cluster.start(3);
        long frozenMillis = 0;
        for (int tick = 0; tick < 6_000; tick++) {
            cluster.advanceMillis(20);
            frozenMillis += cluster.seat(1).isSteady() ? 0 : 20;
        }
        assertThat(frozenMillis).as("of 120 s").isBetween(2_000L, 8_000L);
    }

    /** Announcements of invented groups used to be bounded by their number and not by their bytes. */
    @Test
    void inventedGroupsEndTheSessionBeforeTheyFillTheMemory() {
        List<String> closings = new ArrayList<>();
        int[] announced = {1};
        SimulatedCluster cluster = SimulatedCluster.cluster(2).with(GroupSettings.WINDOW, Size.mebibytes(64)).withListener((number, event) -> {
            if (number == 1 && event instanceof NodeEvents.SessionClosed closed) {
                closings.add(closed.reason());
            }
        });
        cluster.start().assertOneView(SECOND);
        cluster.simulation().withInterceptor((from, to, frame) -> {
            if (!from.name().equals("n2") || frame[0] != 32) {
                return frame;
            }
            announced[0]++;
            Packet packet = Packet.create(Memory.onHeap(), 16 * 1024)
                    .appendByte(17)
                    .appendInt(announced[0])
                    .appendText("invented-" + announced[0])
                    .appendByte(VERSION)
                    .appendText(announced[0] + "x".repeat(TEXT_BYTES))
                    .appendLong(1L << 40);
            byte[] bytes = new byte[packet.length()];
            packet.bytes().get(packet.offset(), bytes);
            return bytes;
        });
        cluster.chatter(2, Duration.ofMillis(1));
        cluster.until("the session ends", Duration.ofSeconds(30), () -> !closings.isEmpty());
        assertThat(closings.getFirst()).contains("it has announced more groups than 16 MiB");
        assertThat(announced[0]).isLessThan((16 << 20) / (2 * TEXT_BYTES) + 10);
    }

    private static final int TEXT_BYTES = 900;

    /** Version of packets that the invented members speak. */
    private static final int VERSION = 2;
}
