package dev.tutti.study.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.setup.VisitState;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class SessionAccountTest {

    private final SessionAccount account = new SessionAccount();

    @Test
    void updateThatALaterAnswerLacksIsLostOnce() {
        confirm("a", 0, 0);
        confirm("a", 1, 0, 1);
        confirm("a", 2, 0, 2);
        confirm("a", 3, 0, 2, 3);
        assertThat(account.lostUpdates()).isEqualTo(1);
        assertThat(account.lostSessions()).isZero();
    }

    @Test
    void updateWithoutAnswerIsNotMissedAndHidesNoOtherLoss() {
        confirm("a", 0, 0);
        account.next();
        // The unanswered update 1 is there, and the confirmed update 0 is not.
        confirm("a", 2, 1, 2);
        assertThat(account.lostUpdates()).isEqualTo(1);
    }

    @Test
    void sessionThatIsGoneLosesAllThatWasConfirmedInIt() {
        confirm("a", 0, 0);
        confirm("a", 1, 0, 1);
        confirm("b", 2, 2);
        assertThat(account.lostSessions()).isEqualTo(1);
        assertThat(account.lostUpdates()).isEqualTo(2);
        assertThat(account.id()).isEqualTo("b");
    }

    @Test
    void otherRouteIsTheSameSession() {
        confirm("a.node1", 0, 0);
        confirm("a.node2", 1, 0, 1);
        assertThat(account.lostSessions()).isZero();
    }

    @Test
    void fullSessionGivesWayToANewOneWithoutLoss() {
        for (int number = 0; number < VisitState.UPDATES_MAX; number++) {
            assertThat(account.next()).isEqualTo(number);
        }
        account.onAnswer("a", bits(0));
        account.onConfirmed(0);
        assertThat(account.next()).isZero();
        assertThat(account.id()).isEmpty();
        account.onAnswer("b", bits(0));
        assertThat(account.lostUpdates()).isZero();
    }

    private void confirm(String id, int number, int... holds) {
        assertThat(account.next()).isEqualTo(number);
        account.onAnswer(id, bits(holds));
        account.onConfirmed(number);
    }

    private static BitSet bits(int... numbers) {
        BitSet bits = new BitSet();
        for (int number : numbers) {
            bits.set(number);
        }
        return bits;
    }
}
