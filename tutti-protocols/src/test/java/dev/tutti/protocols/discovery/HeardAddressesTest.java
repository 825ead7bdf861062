package dev.tutti.protocols.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import dev.tutti.protocols.discovery.Discovery.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Addresses from which nodes without a session multicast, as it seems. */
class HeardAddressesTest {

    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final NodeId PEER = new NodeId(1, "peer", "peer:1");

    private final List<String> dialed = new ArrayList<>();
    private final Discovery discovery = new Discovery(
            "0:1",
            new Discovery.Limits(600 * SECOND, 500 * MS, 24 * 3_600 * SECOND, 4, 100),
            new SplittableRandom(1),
            (address, expected) -> dialed.add(address));
    private long now;

    private void hear(String address) {
        discovery.onHeard(address, now);
        advance(100 * MS);
    }

    private void advance(long nanos) {
        now += nanos;
        discovery.onTimer(now);
    }

    private void fail(String address, Outcome outcome) {
        discovery.onOutcome(address, outcome, "");
        discovery.onFailed(address, outcome == Outcome.REFUSED, now);
    }

    @Test
    void oneThatIsHeardIsDialledOnceEachTime() {
        hear("a:1");
        fail("a:1", Outcome.SILENT);
        advance(60 * SECOND);
        assertThat(dialed).containsExactly("a:1");
        assertThat(discovery.unmet()).as("it is forgotten").isEmpty();
        hear("a:1");
        assertThat(dialed).containsExactly("a:1", "a:1");
    }

    @Test
    void aNodeThatWasLostIsDialledWhenItIsHeardAgain() {
        discovery.onStart(List.of(), now);
        hear("peer:1");
        discovery.onFound("peer:1", PEER, true, now);
        discovery.onClosed(PEER, false, now);
        for (int attempt = 0; attempt < 8; attempt++) {
            advance(30 * SECOND);
            fail("peer:1", Outcome.SILENT);
        }
        int before = dialed.size();
        hear("peer:1");
        assertThat(dialed).as("in the middle of a long pause").hasSize(before + 1);
    }

    @Test
    void oneThatRefusesKeepsItsPause() {
        hear("a:1");
        fail("a:1", Outcome.REFUSED);
        for (int second = 0; second < 5; second++) {
            advance(SECOND);
            hear("a:1");
        }
        assertThat(dialed).hasSize(1);
        assertThat(discovery.isNews("a:1", "another cluster")).isTrue();
        assertThat(discovery.isNews("a:1", "another cluster")).as("it is remembered").isFalse();
    }

    @Test
    void noJoinWaitsForIt() {
        discovery.onStart(List.of(), now);
        discovery.onHeard("a:1", now);
        assertThat(discovery.isEverybodyAsked(now)).isTrue();
        assertThat(discovery.isEverySeedKnown(10 * SECOND, now)).isTrue();
    }

    @Test
    void itTakesNoOthersPlace() {
        discovery.onStart(List.of("s:1"), now);
        for (int number = 1; number <= 10; number++) {
            discovery.onHeard("a" + number + ":1", now);
        }
        assertThat(discovery.unmet()).hasSize(4).extracting(Discovery.Unmet::address).startsWith("s:1", "a1:1");
    }
}
