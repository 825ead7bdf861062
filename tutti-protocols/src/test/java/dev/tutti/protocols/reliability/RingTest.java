package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Member 1, of rank 0, in a ring of four. */
class RingTest {

    private final ReliabilityScene four = ReliabilityScene.ring(4);

    @Test
    void whatAMemberSendsGoesToTheNextAlone() {
        four.send("a");
        four.send("b");
        assertThat(four.delivered()).containsExactly("n1:a", "n1:b");
        assertThat(four.sent())
                .containsExactly("RELAYED of 0 number 1 stable 0 a to n2", "RELAYED of 0 number 2 stable 0 b to n2");
    }

    @Test
    void whatComesIsDeliveredAsItsSendersAndPassedOn() {
        four.relayed(4, four.view.id(), 2, 1, "a");
        four.relayed(4, four.view.id(), 3, 1, "b");
        assertThat(four.delivered()).containsExactly("n3:a", "n4:b");
        assertThat(four.sent())
                .containsExactly("RELAYED of 2 number 1 stable 0 a to n2", "RELAYED of 3 number 1 stable 0 b to n2");
    }

    @Test
    void itEndsBeforeItsSender() {
        four.relayed(4, four.view.id(), 1, 1, "a");
        assertThat(four.delivered()).containsExactly("n2:a");
        assertThat(four.sent()).isEmpty();
    }

    @Test
    void whatIsNotTakenIsNotPassedOn() {
        four.relayed(4, four.view.id(), 2, 2, "after a gap");
        four.relayed(4, new ViewId(1, 1, member(1)), 2, 1, "of an old view");
        four.relayed(4, four.view.id(), 0, 1, "one's own");
        four.relayed(4, four.view.id(), 4, 1, "of nobody");
        four.relayed(4, four.view.id(), -1, 1, "of nobody");
        four.relayed(4, four.view.id(), 2, 1, "a");
        four.relayed(4, four.view.id(), 2, 1, "a");
        four.freeze();
        four.relayed(4, four.view.id(), 2, 2, "after the answer to a ballot");
        assertThat(four.delivered()).containsExactly("n3:a");
        assertThat(four.sent()).hasSize(1);
        assertThat(four.layer.takeDropped())
                .containsExactly(
                        DropReason.GAP,
                        DropReason.OLD_VIEW,
                        DropReason.FOREIGN_SENDER,
                        DropReason.FOREIGN_SENDER,
                        DropReason.FOREIGN_SENDER,
                        DropReason.DUPLICATE,
                        DropReason.FROZEN);
    }

    @Test
    void nextViewHasItsOwnRing() {
        four.install(four.next(List.of(member(1), member(3), member(4))));
        four.forget();
        four.send("a");
        assertThat(four.sent()).containsExactly("RELAYED of 0 number 1 stable 0 a to n3");
    }

    @Test
    void whoIsAheadMayPassOnAWindowOfEachOther() {
        ViewId coming = new ViewId(3, 1, member(1));
        String large = "x".repeat((int) WINDOW / 4);
        for (int origin = 1; origin < 4; origin++) {
            for (long number = 1; number <= 7; number++) {
                four.relayed(4, coming, origin, number, large);
            }
        }
        assertThat(four.layer.takeLowered(Signal.Expel.class)).isEmpty();
        four.relayed(4, coming, 2, 8, large);
        assertThat(four.layer.takeLowered(Signal.Expel.class)).hasSize(1);
        assertThat(four.layer.takeDropped()).containsExactly(DropReason.HELD_FULL);
    }

    @Test
    void ranksThatNoViewHasAreRefusedBeforeTheyAreKept() {
        four.relayed(4, new ViewId(3, 1, member(1)), Integer.MAX_VALUE, 1, "a");
        four.relayed(4, new ViewId(3, 1, member(1)), 1 << 30, 1, "a");
        assertThat(four.layer.takeDropped()).containsExactly(DropReason.MALFORMED, DropReason.MALFORMED);
    }

    @Test
    void whereEachSendsToAllNothingIsPassedOn() {
        ReliabilityScene three = ReliabilityScene.of(3);
        three.relayed(3, three.view.id(), 1, 1, "a");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
        assertThat(three.delivered()).isEmpty();
    }
}
