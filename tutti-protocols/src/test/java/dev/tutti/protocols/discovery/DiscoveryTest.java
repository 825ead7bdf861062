package dev.tutti.protocols.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DiscoveryTest {

    private static final long MS = 1_000_000;
    private static final NodeId PEER = new NodeId(1, "peer", "peer:1");

    private final List<String> dialed = new ArrayList<>();
    private long now;

    private Discovery discovery(int addressesMax, int dialsMax) {
        return new Discovery(
                "0:1",
                new Discovery.Limits(2_000 * MS, 500 * MS, addressesMax, dialsMax),
                new SplittableRandom(1),
                (address, expected) -> dialed.add(address));
    }

    @Test
    void allSeedsAreAskedAtOnceButNotOneself() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("a:1", "0:1", "b:1"), now);
        assertThat(dialed).containsExactly("b:1", "a:1");
        assertThat(discovery.isEverybodyAsked(now)).isFalse();
        discovery.onFailed("a:1", false, now);
        discovery.onFailed("b:1", true, now);
        assertThat(discovery.isEverybodyAsked(now)).isTrue();
    }

    @Test
    void whoDoesNotAnswerIsWaitedForByThePatienceOnly() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("a:1"), now);
        assertThat(discovery.isEverybodyAsked(499 * MS)).isFalse();
        assertThat(discovery.isEverybodyAsked(500 * MS)).isTrue();
    }

    @Test
    void anAddressIsDialledAgainForEverWithPausesThatGrowToTheirBound() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("a:1"), now);
        long previous = 0;
        for (int attempt = 1; attempt < 300; attempt++) {
            discovery.onFailed("a:1", false, now);
            long pause = discovery.nextDeadline() - now;
            assertThat(pause).isBetween(75 * MS, 2_500 * MS);
            if (attempt < 4) {
                assertThat(pause).isGreaterThan(previous);
            }
            previous = pause;
            now += pause;
            discovery.onTimer(now);
            assertThat(dialed).hasSize(attempt + 1);
        }
    }

    @Test
    void aConnectedAddressIsLeftAloneUntilItsSessionEnds() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("alias:1"), now);
        discovery.onOpened(PEER, now);
        discovery.onFound("alias:1", PEER, true, now);
        discovery.onLearned("peer:1", now);
        discovery.onTimer(now + 100_000 * MS);
        assertThat(dialed).containsExactly("alias:1");
        discovery.onClosed(PEER, now);
        discovery.onTimer(now + 200 * MS);
        assertThat(dialed).containsExactly("alias:1", "alias:1", "peer:1");
    }

    @Test
    void theNodesOwnAliasIsNeverDialledAgain() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("alias:1"), now);
        discovery.onSelf("alias:1", now);
        discovery.onTimer(now + 1_000_000 * MS);
        assertThat(dialed).hasSize(1);
        assertThat(discovery.isEverybodyAsked(now)).isTrue();
    }

    @Test
    void dialsAtATimeAreBoundedAndTheRestFollows() {
        Discovery discovery = discovery(100, 3);
        discovery.onStart(IntStream.range(0, 10).mapToObj(index -> "a:" + (index + 1)).toList(), now);
        assertThat(dialed).hasSize(3);
        for (int index = 0; index < 7; index++) {
            discovery.onFailed(dialed.get(index), false, now);
            assertThat(dialed).hasSize(index + 4);
        }
    }

    @Test
    void addressesAreBoundedAndTheWorstMakesRoom() {
        Discovery discovery = discovery(3, 100);
        discovery.onStart(List.of("seed:1"), now);
        discovery.onLearned("a:1", now);
        discovery.onLearned("b:1", now);
        discovery.onFailed("b:1", false, now);
        discovery.onFailed("seed:1", false, now);
        discovery.onLearned("c:1", now);
        assertThat(dialed).containsExactly("seed:1", "a:1", "b:1", "c:1");
        now += 200 * MS;
        discovery.onTimer(now);
        assertThat(dialed).containsExactly("seed:1", "a:1", "b:1", "c:1", "seed:1");
    }

    @Test
    void whatIsNoAddressIsNotLearned() {
        Discovery discovery = discovery(3, 100);
        discovery.onLearned("nonsense", now);
        discovery.onLearned(":1", now);
        discovery.onLearned("a:", now);
        assertThat(dialed).isEmpty();
    }

    @Test
    void aNodeToBeDialledWithItsStateIsDialledAtOnceButNotForEver() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("a:1"), now);
        for (int index = 0; index < 4; index++) {
            discovery.onAgain("a:1", PEER, now);
        }
        assertThat(dialed).hasSize(4);
    }

    @Test
    void theLowerOfTwoAddressesDialsFirst() {
        Discovery discovery = discovery(100, 100);
        discovery.onStart(List.of("/lower:1", "higher:1"), now);
        discovery.onLearned("/learned:1", now);
        assertThat(dialed).containsExactly("higher:1");
        assertThat(discovery.nextDeadline()).isEqualTo(20 * MS);
        assertThat(discovery.isEverybodyAsked(now)).isFalse();
        discovery.onOpened(new NodeId(2, "lower", "/lower:1"), now);
        now += 20 * MS;
        discovery.onTimer(now);
        assertThat(dialed).as("the lower one has dialled itself").containsExactly("higher:1", "/learned:1");
    }

    @Test
    void whoKnowsTheSameAddressesHasTheSameDigest() {
        Discovery one = discovery(3, 100);
        one.onStart(List.of("a:1", "b:1"), now);
        Discovery other = new Discovery(
                "a:1", new Discovery.Limits(2_000 * MS, 500 * MS, 3, 100), new SplittableRandom(2), (a, e) -> {});
        other.onStart(List.of("b:1"), now);
        assertThat(other.digest()).isNotEqualTo(one.digest());
        other.onLearned("0:1", now);
        assertThat(other.digest()).isEqualTo(one.digest());
        one.onLearned("c:1", now);
        assertThat(other.digest()).isNotEqualTo(one.digest());
        one.onLearned("d:1", now);
        assertThat(one.digest()).as("c was learned and seeds are kept: d takes its place").isNotEqualTo(other.digest());
    }
}
