package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Member that a window shared by senders is reported to wait for. */
class SharedWindowTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    private void acknowledge(int member, long received) {
        three.ack(member, received, 2 * WINDOW, 0, WINDOW);
        three.layer.endTurn();
    }

    private String boundedBy() {
        return String.valueOf(three.layer.texts().get("reliability.window-bounded-by"));
    }

    @Test
    void waitsForWhoeverHasAcknowledgedLeastAndNeverForTheSenderItself() {
        three.layer.advance(1);
        three.send("x");
        three.consumeAll();
        three.multicast(2, 1, "y");
        acknowledge(2, 0);
        acknowledge(3, 0);
        assertThat(boundedBy()).as("neither has it").isEqualTo("n2");
        acknowledge(2, 1);
        assertThat(boundedBy()).isEqualTo("n3");
        acknowledge(3, 1);
        three.layer.advance(SharedWindow.ACTIVE_NANOS);
        acknowledge(3, 1);
        assertThat(boundedBy()).as("nobody else sends: its own consumption is the bound").isEqualTo("n1");
    }
}
