package dev.tutti.tomcat.replication.acks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Members whose acknowledgements a message waits for, and the time from which on it does. */
class AcknowledgementsTest {

    private final Member self = member(1);
    private final Member other = member(2);
    private final Member newcomer = member(3);
    private final Acknowledgements acknowledgements = new AcknowledgementsOfAll(Acknowledgement.ALL);

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "localhost:" + number), 1);
    }

    private static View view(long number, Member... members) {
        return new View(new ViewId(number, 1, members[0]), List.of(members), List.of());
    }

    @Test
    void aNewcomerIsWaitedForFromTheFirstMessageOn() {
        acknowledgements.onView(view(2, self, other), self, Set.of());
        acknowledgements.onDelivered(7);
        acknowledgements.onAck(other, 7);
        // From here on the newcomer gets messages; the other consequences of the view are still to come.
        acknowledgements.onNewcomers(view(3, self, other, newcomer), self);
        CompletableFuture<Void> next = acknowledgements.safe(8);
        acknowledgements.onAck(other, 8);
        assertThat(next).as("the newcomer has not handled it").isNotDone();
        acknowledgements.onView(view(3, self, other, newcomer), self, Set.of(other));
        assertThat(next).isNotDone();
        acknowledgements.onAck(newcomer, 8);
        assertThat(next).isDone();
    }

    @Test
    void theFirstOtherMemberIsWaitedForToo() {
        assertThat(acknowledgements.safe(1)).as("nobody else is there").isDone();
        acknowledgements.onNewcomers(view(2, self, other), self);
        assertThat(acknowledgements.safe(1)).isNotDone();
    }

    @Test
    void whoHasLeftIsNotWaitedForAnyMore() {
        acknowledgements.onView(view(2, self, other, newcomer), self, Set.of());
        CompletableFuture<Void> first = acknowledgements.safe(1);
        acknowledgements.onAck(other, 1);
        assertThat(first).isNotDone();
        acknowledgements.onView(view(3, self, other), self, Set.of(other));
        assertThat(first).isDone();
    }
}
