package dev.tutti.tomcat.replication.acks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members whose acknowledgements a message to some of them waits for. */
class AcknowledgementsOfSomeTest {

    private static final UUID SESSION = new UUID(1, 1);
    private static final UUID OTHER = new UUID(2, 2);

    private final Member self = member(1);
    private final Member home = member(2);
    private final Member backup = member(3);
    private final AcknowledgementsOfSome acknowledgements = new AcknowledgementsOfSome(Acknowledgement.ALL);

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "localhost:" + number), 1);
    }

    private static View view(long number, Member... members) {
        return new View(new ViewId(number, 1, members[0]), List.of(members), List.of());
    }

    @BeforeEach
    void begin() {
        acknowledgements.onNewcomers(view(2, self, home, backup), self);
    }

    @Test
    void messageToANewcomerThatWasSentBeforeTheRestKnowsOfTheViewIsWaitedFor() {
        Member newcomer = member(4);
        View next = view(3, self, home, backup, newcomer);
        acknowledgements.onSent(1, SESSION, Set.of(home));
        acknowledgements.onNewcomers(next, self);
        acknowledgements.onSent(2, OTHER, Set.of(newcomer));
        acknowledgements.onView(next, self, Set.of(self, backup));
        assertThat(acknowledgements.safe(1)).as("the home has come back another way").isDone();
        assertThat(acknowledgements.safe(2)).isNotDone();
        acknowledgements.onAck(newcomer, 2);
        assertThat(acknowledgements.safe(2)).isDone();
    }

    @Test
    void messageWaitsForItsReceiversAloneAndForEarlierOnesOfItsSession() {
        acknowledgements.onSent(1, SESSION, Set.of(home));
        acknowledgements.onSent(2, OTHER, Set.of(backup));
        acknowledgements.onSent(3, SESSION, Set.of(backup));
        CompletableFuture<Void> last = acknowledgements.safe(3);
        acknowledgements.onAck(backup, 3);
        assertThat(acknowledgements.safe(2)).isDone();
        assertThat(last).as("the first one is not safe").isNotDone();
        acknowledgements.onAck(home, 1);
        assertThat(last).isDone();
        assertThat(acknowledgements.isAwaited(SESSION)).isFalse();
    }

    @Test
    void messageWaitsForTheOneThatBringsItToAMissedHolder() {
        acknowledgements.onSent(1, SESSION, Set.of(home));
        CompletableFuture<Void> first = acknowledgements.safe(1);
        acknowledgements.onSent(2, SESSION, Set.of(backup));
        acknowledgements.onReasserted(SESSION, 2);
        acknowledgements.onAck(home, 1);
        assertThat(first).isNotDone();
        acknowledgements.onAck(backup, 2);
        assertThat(first).isDone();
        assertThat(acknowledgements.waitingCount()).isZero();
    }

    @Test
    void whoHasLeftOrIsLateIsNotWaitedFor() {
        acknowledgements.onSent(1, SESSION, Set.of(home));
        acknowledgements.onSent(2, OTHER, Set.of(backup));
        View view = view(3, self, backup);
        acknowledgements.onNewcomers(view, self);
        acknowledgements.onView(view, self, Set.of(self, backup));
        assertThat(acknowledgements.safe(1)).isDone();
        assertThat(acknowledgements.onTimeout(2, 2)).containsExactly(backup);
        assertThat(acknowledgements.safe(2)).isDone();
        assertThat(acknowledgements.hasHandled(backup, 2)).isFalse();
        acknowledgements.onSent(3, OTHER, Set.of(backup));
        assertThat(acknowledgements.safe(3)).as("late members are not waited for").isDone();
        assertThat(acknowledgements.laggingCount()).isEqualTo(1);
        acknowledgements.onAck(backup, 3);
        assertThat(acknowledgements.laggingCount()).isZero();
        assertThat(acknowledgements.wasGivenUp(backup, 2)).isTrue();
    }

    @Test
    void oneReceiverIsEnoughIfSoChosen() {
        AcknowledgementsOfSome ofOne = new AcknowledgementsOfSome(Acknowledgement.ONE);
        ofOne.onNewcomers(view(2, self, home, backup), self);
        ofOne.onSent(1, SESSION, Set.of(home, backup));
        ofOne.onAck(backup, 1);
        assertThat(ofOne.safe(1)).isDone();
        assertThat(ofOne.settled()).isZero();
    }

    @Test
    void laterMessageOfASessionIsUnderWay() {
        acknowledgements.onSent(1, SESSION, Set.of(home));
        acknowledgements.onSent(2, OTHER, Set.of(home));
        assertThat(acknowledgements.isUnderWay(home, SESSION, 0)).isTrue();
        assertThat(acknowledgements.isUnderWay(home, SESSION, 1)).isFalse();
        assertThat(acknowledgements.isUnderWay(backup, SESSION, 0)).isFalse();
    }
}
