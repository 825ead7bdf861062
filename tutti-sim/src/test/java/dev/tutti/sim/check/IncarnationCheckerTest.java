package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import org.junit.jupiter.api.Test;

/** The check of incarnations sees the histories that break it. */
class IncarnationCheckerTest extends ToldHistory {

    @Test
    void s22SeesAMessageOfAReplacedIncarnation() {
        install(2, p, q, r);
        send(r, 1);
        Member again = new Member(new NodeId(30, "r", "r:1"), 1);
        see(again, View.alone(again));
        install(3, p, q, again);
        deliver(p, r, 1);
        assertThat(violated()).contains("S22");
    }

    @Test
    void s22SeesTwoIncarnationsInOneView() {
        Member again = new Member(new NodeId(30, "r", "r:1"), 1);
        see(again, View.alone(again));
        install(3, p, again, r);
        assertThat(violated()).contains("S22");
    }
}
