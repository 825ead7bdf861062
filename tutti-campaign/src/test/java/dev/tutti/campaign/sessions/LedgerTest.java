package dev.tutti.campaign.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.campaign.sessions.Ledger.Answer;
import org.junit.jupiter.api.Test;

/** Answers that a client may get after its confirmed writes. */
class LedgerTest {

    private final Ledger ledger = new Ledger();

    private static Answer answer(String... lines) {
        return Answer.parse(String.join("\n", lines));
    }

    private int older(Answer answer) {
        return ledger.olderIn(answer);
    }

    @Test
    void answersAreParsed() {
        Answer answer = answer("session old", "a1=17", "a2=5++", "a3=null+");
        assertThat(answer.state()).isEqualTo(Answer.State.OLD);
        assertThat(answer.number(1)).isEqualTo(17);
        assertThat(answer.number(2)).isEqualTo(5);
        assertThat(answer.number(3)).isZero();
        assertThat(answer.number(4)).isZero();
        assertThat(answer("session none").state()).isEqualTo(Answer.State.NONE);
    }

    @Test
    void attributeThatIsMissingOrOlderThanConfirmedIsFound() {
        Ledger.Write first = ledger.next(2);
        ledger.onConfirmed(first);
        Ledger.Write second = ledger.next(2);
        ledger.onConfirmed(second);
        assertThat(older(answer("session old", "a2=" + second.number()))).isZero();
        assertThat(older(answer("session old", "a2=" + first.number()))).isOne();
        assertThat(older(answer("session old"))).isOne();
    }

    @Test
    void writeThatWasNotConfirmedMayBeThereOrNot() {
        ledger.onConfirmed(ledger.next(2));
        Ledger.Write unknown = ledger.next(2);
        assertThat(older(answer("session old", "a2=1"))).isZero();
        assertThat(older(answer("session old", "a2=" + unknown.number()))).isZero();
    }

    @Test
    void writeThatFollowsAnUnconfirmedOneMustNotGiveWayToIt() {
        Ledger.Write unknown = ledger.next(2);
        ledger.onConfirmed(ledger.next(2));
        assertThat(older(answer("session old", "a2=" + unknown.number()))).isOne();
    }

    @Test
    void numberThatNobodyHasWrittenIsAnError() {
        ledger.onConfirmed(ledger.next(2));
        assertThatThrownBy(() -> older(answer("session old", "a2=9"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void lossIsCountedOnce() {
        ledger.onConfirmed(ledger.next(2));
        ledger.onConfirmed(ledger.next(2));
        Answer lost = answer("session old", "a2=1");
        assertThat(older(lost)).isOne();
        ledger.accept(lost);
        assertThat(older(lost)).isZero();
    }

    @Test
    void writeThatWasGivenUpMayBeCarriedOutLateAndOnce() {
        Ledger.Write givenUp = ledger.next(2);
        ledger.onGivenUp(givenUp);
        ledger.onConfirmed(ledger.next(2));
        Answer late = answer("session old", "a2=" + givenUp.number());
        assertThat(ledger.takeLate(late)).isOne();
        assertThat(older(late)).isZero();
        ledger.onConfirmed(ledger.next(2));
        assertThat(ledger.takeLate(late)).isZero();
        assertThat(older(late)).as("it does not come back").isOne();
    }

    @Test
    void writeThatWasGivenUpAndCarriedOutInTimeIsNotLate() {
        ledger.onConfirmed(ledger.next(2));
        Ledger.Write givenUp = ledger.next(2);
        ledger.onGivenUp(givenUp);
        Answer inTime = answer("session old", "a2=" + givenUp.number());
        assertThat(ledger.takeLate(inTime)).isZero();
        ledger.onConfirmed(ledger.next(2));
        assertThat(ledger.takeLate(inTime)).isZero();
        assertThat(older(inTime)).isOne();
    }

    @Test
    void writeWhoseNodeDiedIsNeverCarriedOutLate() {
        Ledger.Write died = ledger.next(2);
        ledger.onConfirmed(ledger.next(2));
        Answer answer = answer("session old", "a2=" + died.number());
        assertThat(ledger.takeLate(answer)).isZero();
        assertThat(older(answer)).isOne();
    }
}
