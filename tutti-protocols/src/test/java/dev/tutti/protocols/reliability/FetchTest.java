package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers to a fetch: repairs from the copies of this view and of the one before. */
class FetchTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    @Test
    void isAnsweredFromCopiesAndFromOwnPackets() {
        three.send("mine");
        three.multicast(2, 1, "a");
        three.multicast(2, 2, "b");
        three.forget();
        three.fetch(3, three.view.id(), 2, 1, 2);
        three.fetch(3, three.view.id(), 1, 1, 1);
        assertThat(three.sent())
                .containsExactly(
                        "REPAIR in 2 n2.1 1 a to n3", "REPAIR in 2 n2.1 2 b to n3", "REPAIR in 2 n1.1 1 mine to n3");
    }

    @Test
    void ofThePreviousViewIsAnsweredUntilAllHaveFollowed_D9() {
        three.multicast(2, 1, "a");
        three.send("mine");
        ViewId previous = three.view.id();
        View next = three.next(three.view.members());
        three.install(next);
        three.forget();
        three.fetch(3, previous, 2, 1, 9);
        three.fetch(3, previous, 1, 1, 9);
        assertThat(three.sent()).containsExactly("REPAIR in 2 n2.1 1 a to n3", "REPAIR in 2 n1.1 1 mine to n3");
        three.layer.signalUp(new Signal.ViewChange.ViewStable(next));
        three.fetch(3, previous, 2, 1, 9);
        assertThat(three.sent()).isEmpty();
        three.consumeAll();
        assertThat(three.layer.memory.outstanding()).isZero();
    }

    @Test
    void asksForASenderOnce() {
        three.multicast(2, 1, "a");
        three.forget();
        three.fetchRepeatedly(3, three.view.id(), 2, 30);
        assertThat(three.sent()).containsExactly("REPAIR in 2 n2.1 1 a to n3");
    }

    @Test
    void ofAnOlderViewIsIgnored() {
        three.multicast(2, 1, "a");
        ViewId old = three.view.id();
        three.install(three.next(three.view.members()));
        three.install(three.next(three.view.members()));
        three.forget();
        three.fetch(3, old, 2, 1, 1);
        assertThat(three.sent()).isEmpty();
    }

    @Test
    void ofAForgottenViewIsNotAnsweredWithPacketsOfThePresentOne() {
        ViewId forgotten = three.view.id();
        View next = three.next(three.view.members());
        three.install(next);
        three.layer.signalUp(new Signal.ViewChange.ViewStable(next));
        three.multicast(2, 1, "present");
        three.forget();
        three.fetch(3, forgotten, 2, 1, 1);
        assertThat(three.sent()).as("without copies of the previous view").isEmpty();
        three.install(three.next(three.view.members()));
        three.multicast(2, 1, "present");
        three.forget();
        three.fetch(3, forgotten, 2, 1, 1);
        assertThat(three.sent()).as("with copies of a later view").isEmpty();
    }

    @Test
    void withHostileRangesGivesOnlyWhatThereIs() {
        three.multicast(2, 1, "a");
        three.fetch(3, three.view.id(), 2, Long.MIN_VALUE, Long.MAX_VALUE);
        three.fetch(3, three.view.id(), 2, 5, 1);
        three.fetch(3, three.view.id(), 99, 1, 5);
        assertThat(three.sent()).containsExactly("REPAIR in 2 n2.1 1 a to n3");
    }

    @Test
    void repairOfALargestPacketFitsIntoAFrame() {
        // Incident 29: recovery that wraps a full packet must not outgrow what the decoder below accepts.
        three.multicast(2, 1, "x".repeat(Packet.PAYLOAD_MAX));
        three.fetch(3, three.view.id(), 2, 1, 1);
        Packet repair = three.layer.takeSent().getLast();
        int lowerHeaders = 1 + 4 + 4 + 8 + 8;
        assertThat(repair.length() + lowerHeaders).isLessThanOrEqualTo(Packet.FRAME_MAX);
        assertThat(repair.offset()).isGreaterThanOrEqualTo(lowerHeaders);
    }

    @Test
    void copiesAreSharedNotMade() {
        three.multicast(2, 1, "x".repeat(1_000));
        assertThat(three.layer.memory.outstanding()).isEqualTo(1);
    }
}
