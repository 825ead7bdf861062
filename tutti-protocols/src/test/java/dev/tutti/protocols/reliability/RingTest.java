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
                        DropReason.OLD_VIEW,
                        DropReason.FOREIGN_SENDER,
                        DropReason.FOREIGN_SENDER,
                        DropReason.FOREIGN_SENDER,
                        DropReason.DUPLICATE,
                        DropReason.FROZEN);
    }

    @Test
    void whatComesTooEarlyWaitsAndIsPassedOnInItsTurn() {
        four.relayed(3, four.view.id(), 2, 3, "c");
        four.relayed(3, four.view.id(), 2, 3, "c");
        four.relayed(3, four.view.id(), 2, 1, 2, "b");
        assertThat(four.delivered()).isEmpty();
        assertThat(four.sent()).isEmpty();
        four.relayed(4, four.view.id(), 2, 1, "a");
        assertThat(four.delivered()).containsExactly("n3:a", "n3:b", "n3:c");
        assertThat(four.sent())
                .containsExactly("RELAYED of 2 number 1 stable 0 a to n2", "RELAYED of 2 number 3 stable 0 c to n2");
        assertThat(four.layer.takeDropped()).containsExactly(DropReason.DUPLICATE);
        assertThat(four.number("ring-overtakers")).isEqualTo(3);
    }

    @Test
    void onlyTheOriginAndTheMemberBeforeMayPassAPacketOn() {
        four.relayed(2, four.view.id(), 2, 1, "forged");
        assertThat(four.layer.takeDropped()).containsExactly(DropReason.FORGED);
        assertThat(four.delivered()).isEmpty();
        four.relayed(4, four.view.id(), 2, 1, "a");
        four.relayed(3, four.view.id(), 2, 2, "b");
        assertThat(four.delivered()).containsExactly("n3:a", "n3:b");
    }

    @Test
    void whatComesTooEarlyGoesWhenTheViewIsFrozen() {
        four.relayed(3, four.view.id(), 2, 3, "c");
        four.freeze();
        assertThat(four.layer.takeDropped()).containsExactly(DropReason.FROZEN);
    }

    @Test
    void whoSendsMoreTooEarlyThanAWindowLosesItsSession() {
        String large = "x".repeat((int) WINDOW / 4);
        for (long number = 2; number <= 4; number++) {
            four.relayed(4, four.view.id(), 2, number, large);
        }
        assertThat(four.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
        four.relayed(4, four.view.id(), 2, 5, large);
        assertThat(four.layer.takeLowered(Signal.Peer.Expel.class)).extracting(Signal.Peer.Expel::member).containsExactly(member(4));
        assertThat(four.layer.takeDropped()).containsExactly(DropReason.HELD_FULL);
    }

    @Test
    void packetEndsBeforeTheMemberThatItsSenderGivesItTo() {
        four.relayed(4, four.view.id(), 2, 1, 1, "a");
        assertThat(four.delivered()).containsExactly("n3:a");
        assertThat(four.sent()).isEmpty();
    }

    @Test
    void endThatIsNoRankIsOne() {
        four.relayed(4, four.view.id(), 2, Integer.MIN_VALUE, 1, "a");
        assertThat(four.sent()).hasSize(1);
    }

    // ------------------------------------------------------------------ slow neighbours

    private static final long LOOK = ReliabilityScene.PATIENCE + ReliabilityScene.LIMITS.ackDelayNanos();

    private void look(int... have) {
        for (int index = 0; index < have.length; index++) {
            four.ack(2 + index, have[index], WINDOW, 0, WINDOW);
        }
        four.layer.advance(LOOK);
    }

    @Test
    void whoIsBehindASlowMemberIsGivenWhatItLacks() {
        four.send("a");
        four.sent();
        look(1, 0, 0);
        assertThat(four.sent()).as("a look ago the first had nothing either").isEmpty();
        look(1, 0, 0);
        assertThat(four.sent()).containsExactly("RELAYED of 0 number 1 stable 0 a to n4");
        four.send("b");
        assertThat(four.sent())
                .containsExactly(
                        "RELAYED of 0 number 2 stable 0 b to n4",
                        "RELAYED of 0 until 3 number 2 stable 0 b to n2");
        assertThat(four.number("ring-skips")).isEqualTo(1);
        assertThat(four.number("ring-late-members")).isEqualTo(1);
        assertThat(four.number("ring-repeats")).isEqualTo(1);
    }

    @Test
    void whoStaysBehindIsGivenPacketsTooSinceItMayBeTheWayThatIsSlow() {
        four.send("a");
        look(1, 0, 0);
        look(1, 0, 0);
        look(1, 0, 1);
        four.sent();
        four.send("b");
        assertThat(four.sent())
                .containsExactly(
                        "RELAYED of 0 until 3 number 2 stable 0 b to n3",
                        "RELAYED of 0 number 2 stable 0 b to n4",
                        "RELAYED of 0 until 2 number 2 stable 0 b to n2");
    }

    @Test
    void whoHasKeptUpForAWhileIsGoneRoundNoMore() {
        four.send("a");
        look(1, 0, 0);
        look(1, 0, 0);
        four.forget();
        for (int number = 2; number <= 6; number++) {
            four.send("x");
            look(number, number, number - 1);
        }
        four.forget();
        four.send("b");
        assertThat(four.sent()).containsExactly("RELAYED of 0 number 7 stable 5 b to n2");
        assertThat(four.number("ring-late-members")).isZero();
    }

    @Test
    void nothingIsGivenToAMemberTwice() {
        four.send("a");
        look(1, 0, 0);
        look(1, 0, 0);
        for (int number = 2; number <= 5; number++) {
            look(1, 1, 0);
            four.send("x");
        }
        four.forget();
        look(5, 1, 0);
        look(5, 1, 0);
        look(5, 1, 0);
        assertThat(four.sent().stream().filter(text -> text.contains("number 1 "))).isEmpty();
    }

    @Test
    void whereAllAreSlowNobodyIsGoneRound() {
        four.send("a");
        for (int index = 0; index < 5; index++) {
            look(0, 0, 0);
        }
        assertThat(four.number("ring-late-members")).isEqualTo(1);
        four.send("b");
        assertThat(four.sent().stream().filter(text -> text.contains(" b to "))).hasSizeLessThan(3);
    }

    @Test
    void whoIsHeldUpTriesTheRing() {
        ReliabilityScene tried = ReliabilityScene.tried(4);
        tried.send("x".repeat((int) WINDOW / 4));
        tried.send("x".repeat((int) WINDOW / 4));
        assertThat(tried.sent()).allMatch(text -> text.startsWith("MULTICAST"));
        tried.layer.advance(5 * LOOK);
        assertThat(tried.sent()).as("given to nobody again: each was sent it").isEmpty();
        tried.send("b");
        assertThat(tried.sent()).containsExactly("RELAYED of 0 number 3 stable 0 b to n2");
        assertThat(tried.layer.texts()).containsEntry("reliability.dissemination", "ring");
        assertThat(tried.number("ring-changes")).isEqualTo(1);
    }

    @Test
    void whoHasMuchOfItsShareUnderWayTriesTheRing() {
        ReliabilityScene tried = ReliabilityScene.tried(4);
        tried.layer.advance(1);
        tried.send("x".repeat((int) WINDOW * 3 / 8));
        for (int number = 1; number <= 5; number++) {
            tried.layer.advance(LOOK * 3 / 4);
            for (int other = 2; other <= 4; other++) {
                tried.multicast(other, number, "y");
            }
            tried.layer.advance(LOOK / 4);
        }
        tried.forget();
        tried.send("b");
        assertThat(tried.sent()).containsExactly("RELAYED of 0 number 2 stable 0 b to n2");
    }

    @Test
    void whoseProcessorIsBusySendsToAllAtOnce() {
        ReliabilityScene tried = ReliabilityScene.tried(4);
        tried.layer.signalUp(new Signal.Flow.Processor(true));
        tried.send("x".repeat((int) WINDOW / 2));
        tried.layer.advance(20 * LOOK);
        tried.forget();
        tried.send("b");
        assertThat(tried.sent()).containsExactly("MULTICAST 2 stable 0 b");
    }

    @Test
    void newViewBeginsWithoutDetours() {
        four.send("a");
        look(1, 0, 0);
        look(1, 0, 0);
        four.install(four.next(four.view.members()));
        four.forget();
        four.send("b");
        assertThat(four.sent()).containsExactly("RELAYED of 0 number 1 stable 0 b to n2");
        four.freeze();
        four.layer.advance(10 * LOOK);
        assertThat(four.sent()).isEmpty();
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
        assertThat(four.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
        four.relayed(4, coming, 2, 8, large);
        assertThat(four.layer.takeLowered(Signal.Peer.Expel.class)).hasSize(1);
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
