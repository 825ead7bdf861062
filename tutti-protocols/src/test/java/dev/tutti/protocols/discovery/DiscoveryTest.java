package dev.tutti.protocols.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DiscoveryTest {

    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final long HOUR = 3_600 * SECOND;
    private static final long DAY = 24 * HOUR;
    private static final NodeId PEER = new NodeId(1, "peer", "peer:1");
    private static final NodeId AUTHOR = new NodeId(2, "author", "author:1");

    private final List<String> dialed = new ArrayList<>();
    private long now;

    private Discovery discovery(int addressesMax, int dialsMax) {
        return new Discovery(
                "0:1",
                new Discovery.Limits(2_000 * MS, 500 * MS, DAY, addressesMax, dialsMax),
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
        discovery.onLearned("peer:1", AUTHOR, now);
        discovery.onTimer(now + 100_000 * MS);
        assertThat(dialed).containsExactly("alias:1");
        discovery.onClosed(PEER, false, now);
        discovery.onTimer(now + 200 * MS);
        assertThat(dialed).containsExactlyInAnyOrder("alias:1", "alias:1", "peer:1");
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
        discovery.onLearned("a:1", AUTHOR, now);
        discovery.onLearned("b:1", AUTHOR, now);
        discovery.onFailed("b:1", false, now);
        discovery.onFailed("seed:1", false, now);
        discovery.onLearned("c:1", AUTHOR, now);
        assertThat(dialed).containsExactly("seed:1", "a:1", "b:1", "c:1");
        now += 200 * MS;
        discovery.onTimer(now);
        assertThat(dialed).containsExactly("seed:1", "a:1", "b:1", "c:1", "seed:1");
    }

    @Test
    void whatIsNoAddressIsNotLearned() {
        Discovery discovery = discovery(3, 100);
        discovery.onLearned("nonsense", AUTHOR, now);
        discovery.onLearned(":1", AUTHOR, now);
        discovery.onLearned("a:", AUTHOR, now);
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
        discovery.onLearned("/learned:1", AUTHOR, now);
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
                "a:1", new Discovery.Limits(2_000 * MS, 500 * MS, DAY, 3, 100), new SplittableRandom(2), (a, e) -> {});
        other.onStart(List.of("b:1"), now);
        assertThat(other.digest()).isNotEqualTo(one.digest());
        other.onLearned("0:1", AUTHOR, now);
        assertThat(other.digest()).isEqualTo(one.digest());
        one.onLearned("c:1", AUTHOR, now);
        assertThat(other.digest()).isNotEqualTo(one.digest());
        one.onLearned("d:1", AUTHOR, now);
        assertThat(one.digest()).as("c was learned and seeds are kept: d takes its place").isNotEqualTo(other.digest());
    }

    // ------------------------------------------------------------------ nodes that are gone

    private static NodeId node(String address) {
        return new NodeId(address.hashCode(), address, address);
    }

    /** Answers all dials in the same way for as long as given. */
    private void run(Discovery discovery, long nanos, Discovery.Outcome outcome) {
        run(discovery, nanos, address -> outcome);
    }

    private void run(Discovery discovery, long nanos, Function<String, Discovery.Outcome> outcomes) {
        long end = now + nanos;
        int answered = dialed.size();
        while (discovery.nextDeadline() <= end) {
            now = Math.max(now, discovery.nextDeadline());
            discovery.onTimer(now);
            while (answered < dialed.size()) {
                String address = dialed.get(answered++);
                discovery.onOutcome(address, outcomes.apply(address), "");
                discovery.onFailed(address, false, now);
            }
        }
        now = end;
    }

    private void meet(Discovery discovery, String address, long nanos, boolean isGraceful) {
        discovery.onOpened(node(address), now);
        now += nanos;
        discovery.onClosed(node(address), isGraceful, now);
    }

    @Test
    void addressOfANodeThatSaidGoodbyeIsForgottenAtOnce() {
        Discovery discovery = discovery(10_000, 64);
        long digest = discovery.digest();
        for (int number = 0; number < 1_000; number++) {
            meet(discovery, "visitor" + number + ":1", SECOND, true);
        }
        assertThat(discovery.nextDeadline()).isEqualTo(Discovery.NEVER);
        assertThat(discovery.unmet()).isEmpty();
        assertThat(discovery.digest()).isEqualTo(digest);
        run(discovery, DAY, Discovery.Outcome.NOBODY);
        assertThat(dialed).isEmpty();
    }

    @Test
    void seedThatSaidGoodbyeIsDialledForEver() {
        Discovery discovery = discovery(100, 64);
        discovery.onStart(List.of("a:1"), now);
        meet(discovery, "a:1", SECOND, true);
        run(discovery, 3 * DAY, Discovery.Outcome.NOBODY);
        dialed.clear();
        run(discovery, 3 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(dialed).isNotEmpty();
    }

    @Test
    void lostNodesAreDialledRarelyAfterAMinuteAndForgottenInTime() {
        Discovery discovery = discovery(10_000, 64);
        for (int number = 0; number < 1_000; number++) {
            meet(discovery, "visitor" + number + ":1", 10 * MS, false);
        }
        run(discovery, 120 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(discovery.unmet()).hasSize(LostAddresses.ADDRESSES_MAX);
        dialed.clear();
        run(discovery, HOUR, Discovery.Outcome.NOBODY);
        assertThat(dialed).as("at pauses of 30 s").hasSizeBetween(800, 1_100);
        run(discovery, DAY, Discovery.Outcome.NOBODY);
        assertThat(discovery.nextDeadline()).isEqualTo(Discovery.NEVER);
        assertThat(discovery.unmet()).isEmpty();
    }

    @Test
    void repeatedDialsAreBoundedInTheirRateHoweverManyAddressesThereAre() {
        Discovery discovery = discovery(10_000, 10_000);
        discovery.onStart(IntStream.range(0, 5_000).mapToObj(index -> "a:" + (index + 1)).toList(), now);
        assertThat(dialed).hasSize(5_000);
        dialed.forEach(address -> discovery.onFailed(address, false, now));
        dialed.clear();
        run(discovery, 100 * SECOND, Discovery.Outcome.SILENT);
        assertThat(dialed).hasSizeBetween(3_200, 3_200 + 256 + 1);
        // In turn: none is asked a third time before all are asked a second time.
        run(discovery, 100 * SECOND, Discovery.Outcome.SILENT);
        assertThat(dialed.subList(0, 5_000)).doesNotHaveDuplicates();
    }

    @Test
    void dialsThatAreAnsweredAreNotBoundedInTheirRate() {
        Discovery discovery = discovery(10_000, 64);
        discovery.onStart(IntStream.range(0, 2_000).mapToObj(index -> "a:" + (index + 1)).toList(), now);
        run(discovery, 60 * SECOND, Discovery.Outcome.SILENT);
        for (int index = 0; index < dialed.size(); index++) {
            discovery.onFailed(dialed.get(index), false, now);
        }
        run(discovery, 60 * SECOND, Discovery.Outcome.SILENT);
        dialed.clear();
        long end = now + 4 * SECOND;
        for (int answered = 0; discovery.nextDeadline() <= end; ) {
            now = Math.max(now, discovery.nextDeadline());
            discovery.onTimer(now);
            while (answered < dialed.size()) {
                String address = dialed.get(answered++);
                discovery.onOpened(node(address), now);
                discovery.onFound(address, node(address), true, now);
            }
        }
        assertThat(dialed).as("the network is whole again").hasSize(2_000);
    }

    /** A pair that is cut apart, while a thousand come and crash at one side. */
    @Test
    void nodeThatStayedIsRememberedBeforeThoseThatWereThereForAMoment() {
        for (Discovery.Outcome outcome : List.of(Discovery.Outcome.NOBODY, Discovery.Outcome.SILENT)) {
            dialed.clear();
            now = 0;
            Discovery discovery = discovery(10_000, 64);
            meet(discovery, "peer:1", HOUR, false);
            Function<String, Discovery.Outcome> outcomes =
                    address -> address.equals("peer:1") ? Discovery.Outcome.SILENT : outcome;
            for (int number = 0; number < 1_000; number++) {
                meet(discovery, "visitor" + number + ":1", 10 * SECOND, false);
                run(discovery, SECOND, outcomes);
            }
            run(discovery, 5 * HOUR, outcomes);
            dialed.clear();
            run(discovery, 3 * SECOND, outcomes);
            assertThat(dialed).contains("peer:1").hasSizeLessThan(20);
        }
    }

    /** A node that knew the lost address and one that did not have nothing to tell each other. */
    @Test
    void lostAddressIsNoPartOfTheDigest() {
        Discovery discovery = discovery(100, 64);
        long digest = discovery.digest();
        meet(discovery, "lost:1", SECOND, false);
        assertThat(discovery.digest()).isEqualTo(digest);
        discovery.onOpened(node("lost:1"), now);
        assertThat(discovery.digest()).isNotEqualTo(digest);
    }

    @Test
    void lostAddressThatOthersTellOfIsDialledSoon() {
        Discovery discovery = discovery(100, 64);
        meet(discovery, "lost:1", SECOND, false);
        run(discovery, HOUR, Discovery.Outcome.NOBODY);
        dialed.clear();
        discovery.onLearned("lost:1", AUTHOR, now);
        assertThat(dialed).containsExactly("lost:1");
    }

    @Test
    void endOfADialToAForgottenAddressFreesItsPlace() {
        Discovery discovery = discovery(100, 1);
        discovery.onLearned("peer:1", AUTHOR, now);
        discovery.onOpened(node("peer:1"), now);
        discovery.onClosed(node("peer:1"), true, now);
        discovery.onFailed("peer:1", false, now);
        discovery.onLearned("a:1", AUTHOR, now);
        assertThat(dialed).containsExactly("peer:1", "a:1");
    }

    /** All dials fail, until nothing is due for a minute. */
    private void failAll(Discovery discovery) {
        long end = now + 70 * SECOND;
        int failed = 0;
        while (now < end) {
            while (failed < dialed.size()) {
                discovery.onFailed(dialed.get(failed++), false, now);
            }
            now += 10 * MS;
            discovery.onTimer(now);
        }
    }

    @Test
    void inventedAddressesOfOneNodeAreTriedWithinABudget() {
        Discovery discovery = discovery(2_048, 64);
        discovery.onOpened(AUTHOR, now);
        for (int index = 0; index < 2_000; index++) {
            discovery.onLearned("stranger-" + index + ":1", AUTHOR, now);
        }
        failAll(discovery);
        assertThat(dialed.stream().distinct().count()).isBetween(256L, Vouchers.STRANGERS_MAX + 64L);
        discovery.onLearned("real:1", PEER, now);
        assertThat(dialed).as("what another one tells is tried").contains("real:1");
    }

    @Test
    void whatOneHasInventedIsForgottenWithItsSession() {
        Discovery discovery = discovery(2_048, 1);
        discovery.onOpened(AUTHOR, now);
        discovery.onOpened(PEER, now);
        for (int index = 0; index < 10; index++) {
            discovery.onLearned("stranger-" + index + ":1", AUTHOR, now);
        }
        discovery.onLearned("stranger-3:1", PEER, now);
        discovery.onClosed(AUTHOR, true, now);
        dialed.clear();
        failAll(discovery);
        assertThat(dialed).isNotEmpty().containsOnly("stranger-3:1");
    }

    @Test
    void whereANodeWasFoundIsKnownWhoeverHasToldOfIt() {
        Discovery discovery = discovery(2_048, 8);
        discovery.onOpened(AUTHOR, now);
        discovery.onLearned("peer:1", AUTHOR, now);
        discovery.onOpened(PEER, now);
        discovery.onClosed(AUTHOR, false, now);
        discovery.onClosed(PEER, false, now);
        dialed.clear();
        now += 10 * SECOND;
        discovery.onTimer(now);
        assertThat(dialed).contains("peer:1");
    }
}
