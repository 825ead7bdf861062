package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Missing packets up to the cut of a ballot: fetching them, and the repairs that count. */
class FlushTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    private static TreeMap<Member, Long> cut(int sender, long number) {
        return new TreeMap<>(Map.of(member(sender), number));
    }

    private static TreeMap<Member, Member> holder(int sender, int holder) {
        return new TreeMap<>(Map.of(member(sender), member(holder)));
    }

    @Test
    void whatIsMissingIsFetchedFromItsHolders_D1() {
        three.multicast(2, 1, "a");
        three.freeze();
        TreeMap<Member, Long> cut = new TreeMap<>(Map.of(member(2), 3L, member(3), 2L));
        three.reach(cut, new TreeMap<>(Map.of(member(2), member(3), member(3), member(3))));
        assertThat(three.sent()).containsExactly("FETCH 2 n2 2-3 n3 1-2 to n3");
        three.repair(3, three.view.id(), 2, 2, "b");
        three.repair(3, three.view.id(), 2, 3, "c");
        three.repair(3, three.view.id(), 3, 1, "d");
        assertThat(three.layer.takeLowered(Signal.ViewChange.Flushed.class)).isEmpty();
        three.repair(3, three.view.id(), 3, 2, "e");
        assertThat(three.layer.takeLowered(Signal.ViewChange.Flushed.class)).containsExactly(new Signal.ViewChange.Flushed(three.ballot()));
        assertThat(three.delivered()).containsExactly("n2:a", "n2:b", "n2:c", "n3:d", "n3:e");
    }

    @Test
    void nothingMissingIsReachedAtOnce() {
        three.multicast(2, 1, "a");
        three.freeze();
        three.reach(cut(2, 1), holder(2, 3));
        assertThat(three.sent()).isEmpty();
        assertThat(three.layer.takeLowered(Signal.ViewChange.Flushed.class)).hasSize(1);
    }

    @Test
    void aRepairBeyondTheCutIsDropped_D5() {
        three.freeze();
        three.reach(cut(2, 1), holder(2, 3));
        three.repair(3, three.view.id(), 2, 2, "beyond");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.LATE_REPAIR);
    }

    @Test
    void aRepairForASupersededBallotIsDropped_D5() {
        three.freeze();
        three.reach(cut(2, 1), holder(2, 3));
        three.freeze();
        three.repair(3, three.view.id(), 2, 1, "late");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.LATE_REPAIR);
        assertThat(three.received()).doesNotContainKey(member(2));
    }

    @Test
    void aRepairOfAnotherViewOrSenderIsDropped() {
        three.freeze();
        three.reach(cut(2, 1), holder(2, 3));
        three.repair(3, new ViewId(1, 1, member(1)), 2, 1, "old");
        three.repair(3, three.view.id(), 77, 1, "whose");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.LATE_REPAIR, DropReason.LATE_REPAIR);
    }

    @Test
    void aRepairTwiceOrOutOfOrderIsDropped() {
        three.freeze();
        three.reach(cut(2, 3), holder(2, 3));
        three.repair(3, three.view.id(), 2, 2, "gap");
        three.repair(3, three.view.id(), 2, 1, "a");
        three.repair(3, three.view.id(), 2, 1, "a");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.GAP, DropReason.DUPLICATE);
    }

    @Test
    void repairOfOneThatWasNotAskedIsForged() {
        three.freeze();
        three.reach(cut(2, 1), holder(2, 3));
        three.repair(2, three.view.id(), 2, 1, "not asked");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.FORGED);
        three.repair(3, three.view.id(), 2, 1, "asked");
        assertThat(three.delivered()).containsExactly("n2:asked");
    }
}
