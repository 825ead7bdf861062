package dev.tutti.study.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.setup.Operation;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowAccountTest {

    private final RowAccount account = new RowAccount();

    @Test
    void confirmedRowThatIsNotThereIsLostOnce() {
        account.onConfirmed(Operation.UPLOAD, "a");
        account.onConfirmed(Operation.UPLOAD, "b");
        assertThat(account.lost(Operation.UPLOAD, Set.of("b", "of another"))).isEqualTo(1);
        assertThat(account.lost(Operation.UPLOAD, Set.of("b"))).isZero();
    }

    @Test
    void deletedUserThatIsStillThereIsLost() {
        account.onConfirmed(Operation.CREATE_USER, "a");
        assertThat(account.takeUser()).isEqualTo("a");
        account.onConfirmed(Operation.DELETE_USER, "a");
        assertThat(account.lost(Operation.CREATE_USER, Set.of("a"))).isEqualTo(1);
    }

    @Test
    void userWhoseDeletionHasNoAnswerMayBeThereOrNot() {
        account.onConfirmed(Operation.CREATE_USER, "a");
        account.onConfirmed(Operation.CREATE_USER, "b");
        account.takeUser();
        account.takeUser();
        assertThat(account.takeUser()).isNull();
        assertThat(account.lost(Operation.CREATE_USER, Set.of("a"))).isZero();
    }
}
