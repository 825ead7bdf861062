package dev.tutti.blocks.map;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Changes that a side that was given up still brings in at its turn, also one merge later. */
class WantedTest {

    private static final Member SELF = new Member(new NodeId(7, "n1", "n1:7800"), 1);

    private final Store<String, String> store = new Store<>();

    private static Register<String, String> live(EntryVersion version) {
        return new Register<>("k", "v", 2, version, 0, 0);
    }

    private static View view(long number) {
        return new View(new ViewId(number, 1, SELF), List.of(SELF), List.of());
    }

    /** Written at 50 in view 6; the sides have met in view 7. */
    private final LostSide<List<Register<String, String>>> side =
            new LostSide<>(view(6), List.of(live(EntryVersion.of(6, 1, 50, 0, 0))));

    private boolean isStillWanted(Merge<Map<String, String>> rule, WriteOrder order) {
        return !Wanted.untouched(side, store, rule, order).isEmpty();
    }

    @Test
    void laterWriteThatAnotherSideHasBroughtInStays() {
        side.onView(view(7), SELF);
        store.set(live(EntryVersion.of(5, 1, 60, 0, 0).again(7, 0, 1)));
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.TIME)).isFalse();
    }

    @Test
    void earlierWriteThatAnotherSideHasBroughtInIsOverruled() {
        side.onView(view(7), SELF);
        store.set(live(EntryVersion.of(5, 1, 40, 0, 0).again(7, 0, 1)));
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.TIME)).isTrue();
        assertThat(isStillWanted(Merge.union(), WriteOrder.TIME)).isFalse();
    }

    @Test
    void whatWasWrittenSinceTheMergeIsNotTouched() {
        side.onView(view(7), SELF);
        store.set(live(EntryVersion.of(7, 9, 40, 0, 0)));
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.TIME)).isFalse();
        assertThat(isStillWanted(Merge.by(sides -> sides.getFirst().state()), WriteOrder.TIME)).isFalse();
    }

    @Test
    void stateOfALaterMergeIsComparedByTimeThoughItsViewsHaveHigherNumbers() {
        side.onView(view(7), SELF);
        store.set(live(EntryVersion.of(20, 9, 40, 0, 0)));
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.TIME)).as("as if written since the merge").isFalse();
        side.onInstalled();
        side.onView(view(21), SELF);
        assertThat(side.mergedIn()).isEqualTo(21);
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.TIME)).isTrue();
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.VIEW)).isFalse();
        assertThat(isStillWanted(Merge.union(), WriteOrder.TIME)).as("the key is there").isFalse();
        store.set(live(EntryVersion.of(20, 9, 60, 0, 0)));
        assertThat(isStillWanted(Merge.lastWriter(), WriteOrder.TIME)).isFalse();
    }
}
