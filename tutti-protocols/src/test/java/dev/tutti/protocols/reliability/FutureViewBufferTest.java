package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packets of coming views, which wait until their view is installed. */
class FutureViewBufferTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    @Test
    void ofAComingViewIsHeldAndDeliveredInIt_D8() {
        View next = three.next(three.view.members());
        three.multicast(3, next.id(), 1, 0, "early");
        three.multicast(2, new ViewId(9, 1, member(3)), 1, 0, "later still");
        assertThat(three.delivered()).isEmpty();
        assertThat(three.number("held-packets")).isEqualTo(2);
        three.install(next);
        assertThat(three.delivered()).containsExactly("n3:early");
        assertThat(three.number("held-packets")).isEqualTo(1);
        three.multicast(3, 2, "next");
        assertThat(three.delivered()).containsExactly("n3:early", "n3:next");
    }

    @Test
    void heldForAnotherViewOfTheSameNumberIsDropped() {
        three.multicast(3, new ViewId(3, 7, member(3)), 1, 0, "elsewhere");
        three.install(three.next(three.view.members()));
        assertThat(three.delivered()).isEmpty();
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.OLD_VIEW);
    }

    @Test
    void whoExceedsWhatMayBeHeldLosesItsSession() {
        String large = "x".repeat(30_000);
        for (int number = 1; number <= 8; number++) {
            three.multicast(3, new ViewId(9, 1, member(3)), number, 0, large);
        }
        assertThat(three.number("held-packets")).isEqualTo(8);
        assertThat(three.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
        three.multicast(3, new ViewId(9, 1, member(3)), 9, 0, large);
        three.multicast(2, new ViewId(9, 1, member(3)), 1, 0, large);
        assertThat(three.number("held-packets")).as("2 has a share of its own").isEqualTo(9);
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.HELD_FULL);
        assertThat(three.layer.takeLowered(Signal.Peer.Expel.class))
                .extracting(Signal.Peer.Expel::member)
                .containsExactly(member(3));
    }

    @Test
    void heldForTheViewAfterTheNextStaysWhenTheNextIsInstalled() {
        three.multicast(3, new ViewId(4, 1, member(1)), 1, 0, "early");
        three.install(three.next(three.view.members()));
        assertThat(three.number("held-packets")).isEqualTo(1);
        assertThat(three.layer.takeDropped()).isEmpty();
        three.install(three.next(three.view.members()));
        assertThat(three.delivered()).containsExactly("n3:early");
    }

    @Test
    void ofAComingStreamIsHeld() {
        three.unicast(4, 3, 1, "early");
        three.install(three.next(List.of(member(1), member(2), member(3), member(4)), member(4)));
        assertThat(three.delivered()).containsExactly("n4:early");
    }
}
