package dev.tutti.blocks.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EpochTest {

    private final Member self = member(1);
    private final Member other = member(2);
    private final Member third = member(3);
    private View view = View.alone(self);
    private Epoch epoch = Epoch.first(view, self);

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "n" + number + ":7800"), 1);
    }

    /** @param together the members that come from this view */
    private void install(List<Member> members, List<Member> together) {
        List<View.Part> parts = List.of(new View.Part(view.id(), together, new TreeMap<>()));
        view = new View(new ViewId(epoch.number() + 1, 1, self), members, parts);
        epoch = epoch.next(view, self);
    }

    @Test
    void membersThatGoAlongHaveStayed() {
        install(List.of(self, other), List.of(self));
        int begun = epoch.number();
        install(List.of(self, other, third), List.of(self, other));
        assertThat(epoch.hasStayed(other, begun)).isTrue();
        assertThat(epoch.hasStayed(self, 0)).isFalse();
        assertThat(epoch.hasStayed(self, 1)).isTrue();
        assertThat(epoch.contains(third)).isTrue();
        assertThat(epoch.hasStayed(third, begun)).as("who has come since").isFalse();
    }

    @Test
    void whoHasLeftAndComesBackHasNotStayed() {
        install(List.of(self, other), List.of(self));
        int begun = epoch.number();
        install(List.of(self), List.of(self));
        assertThat(epoch.hasStayed(other, begun)).isFalse();
        install(List.of(self, other), List.of(self));
        install(List.of(self, other), List.of(self, other));
        assertThat(epoch.contains(other)).isTrue();
        assertThat(epoch.hasStayed(other, begun)).isFalse();
        assertThat(epoch.hasStayed(other, begun + 2)).isTrue();
    }

    @Test
    void whoComesFromAnotherViewHasNotStayedAlthoughItWasNeverMissed() {
        install(List.of(self, other), List.of(self));
        int begun = epoch.number();
        install(List.of(self, other), List.of(self));
        assertThat(epoch.hasStayed(other, begun)).isFalse();
        assertThat(epoch.hasStayed(self, begun)).isTrue();
    }
}
