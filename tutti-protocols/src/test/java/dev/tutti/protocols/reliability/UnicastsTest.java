package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Unicasts: order, repetition after a lost session, and streams that start anew. */
class UnicastsTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    @Test
    void isNumberedPerReceiverAndKeptUntilAcknowledged() {
        three.sendTo(2, "a");
        three.sendTo(3, "b");
        three.sendTo(2, "c");
        assertThat(three.sent())
                .containsExactly(
                        "UNICAST since 2 number 1 a to n2",
                        "UNICAST since 2 number 1 b to n3",
                        "UNICAST since 2 number 2 c to n2");
        three.ack(2, 0, WINDOW, 1, WINDOW);
        assertThat(three.layer.memory.outstanding()).isEqualTo(2);
    }

    @Test
    void resumesAfterANewSessionWithoutLossOrDuplicate() {
        three.sendTo(2, "a");
        three.sendTo(2, "b");
        three.sendTo(2, "c");
        three.ack(2, 0, WINDOW, 1, WINDOW);
        three.forget();
        three.layer.signalUp(new Signal.Peer.Opened(member(2), 1));
        assertThat(three.sent()).containsExactly("UNICAST since 2 number 2 b to n2", "UNICAST since 2 number 3 c to n2");
        // The receiver's side of the same.
        three.unicast(3, 2, 1, "x");
        three.unicast(3, 2, 3, "z");
        three.unicast(3, 2, 1, "x");
        three.unicast(3, 2, 2, "y");
        three.unicast(3, 2, 3, "z");
        assertThat(three.delivered()).containsExactly("n3:x", "n3:y", "n3:z");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.GAP, DropReason.DUPLICATE);
    }

    @Test
    void goesOnOverViewsOfOnePart() {
        three.sendTo(2, "a");
        three.install(three.next(List.of(member(1), member(2))));
        assertThat(three.layer.takeRaised(Signal.Flow.StreamReset.class))
                .containsExactly(new Signal.Flow.StreamReset(member(3), false));
        three.forget();
        three.sendTo(2, "b");
        assertThat(three.sent()).containsExactly("UNICAST since 2 number 2 b to n2");
    }

    @Test
    void goesOnWhileTheViewChanges() {
        three.sendTo(2, "a");
        three.freeze();
        three.forget();
        three.sendTo(2, "b");
        three.unicast(2, 2, 1, "x");
        assertThat(three.sent()).containsExactly("UNICAST since 2 number 2 b to n2");
        assertThat(three.delivered()).containsExactly("n2:x");
        three.install(three.next(List.of(member(1), member(2))));
        three.forget();
        three.sendTo(2, "c");
        assertThat(three.sent()).containsExactly("UNICAST since 2 number 3 c to n2");
    }

    @Test
    void startsAnewWithAMemberFromAnotherPart() {
        three.sendTo(2, "a");
        View apart = new View(
                new ViewId(3, 1, member(1)),
                three.view.members(),
                List.of(
                        new View.Part(new ViewId(2, 1, member(1)), List.of(member(1), member(3)), new TreeMap<>()),
                        new View.Part(new ViewId(2, 5, member(2)), List.of(member(2)), new TreeMap<>())));
        three.install(apart);
        assertThat(three.layer.takeRaised(Signal.Flow.StreamReset.class))
                .containsExactly(new Signal.Flow.StreamReset(member(2), true));
        three.forget();
        three.unicast(2, 2, 1, "of the old stream");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.OLD_VIEW);
        three.unicast(2, 3, 1, "of the new one");
        assertThat(three.delivered()).containsExactly("n2:of the new one");
        three.sendTo(2, "b");
        assertThat(three.sent()).containsExactly("UNICAST since 3 number 1 b to n2");
    }

    @Test
    void toSomebodyElseIsDropped() {
        three.sendTo(9, "a");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.NO_SESSION);
    }
}
