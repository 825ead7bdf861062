package dev.tutti.protocols.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ListedAddressesTest {

    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final long DAY = 24 * 3_600 * SECOND;
    private static final NodeId PEER = new NodeId(1, "peer", "peer:1");
    private static final String DIRECTORY = "directory";
    private static final String DATABASE = "jdbc";

    private final List<String> dialed = new ArrayList<>();
    private final Discovery discovery = new Discovery(
            "0:1",
            new Discovery.Limits(2 * SECOND, 500 * MS, DAY, 100, 100),
            new SplittableRandom(1),
            (address, expected) -> dialed.add(address));
    private long now;

    private void start(String... sources) {
        discovery.expect(List.of(sources));
        discovery.onStart(List.of(), now);
    }

    private List<String> list(String source, String... addresses) {
        return discovery.onListed(source, List.of(addresses), now);
    }

    /** Lets every dial within {@code nanos} fail. */
    private void failUntil(long nanos, Discovery.Outcome outcome) {
        while (discovery.nextDeadline() < nanos) {
            now = Math.max(now, discovery.nextDeadline());
            int before = dialed.size();
            discovery.onTimer(now);
            for (String address : List.copyOf(dialed.subList(before, dialed.size()))) {
                fail(address, outcome);
            }
        }
        now = nanos;
    }

    private void fail(String address, Discovery.Outcome outcome) {
        discovery.onOutcome(address, outcome, "");
        discovery.onFailed(address, false, now);
    }

    @Test
    void addressesOfAListAreDialledAtOnceButNotOneself() {
        start(DIRECTORY);
        list(DIRECTORY, "a:1", "0:1", "nonsense");
        now += SECOND;
        discovery.onTimer(now);
        assertThat(dialed).containsExactly("a:1");
    }

    @Test
    void joinsWaitForTheFirstListOfEachSourceAndNotLongerThanThePatience() {
        start(DIRECTORY, DATABASE);
        assertThat(discovery.isEverybodyAsked(now)).isFalse();
        assertThat(discovery.isEverySeedKnown(10 * SECOND, now)).isFalse();
        list(DIRECTORY);
        assertThat(discovery.isEverybodyAsked(now)).isFalse();
        assertThat(discovery.isEverybodyAsked(500 * MS)).isTrue();
        assertThat(discovery.isEverySeedKnown(10 * SECOND, 500 * MS)).isFalse();
        list(DATABASE);
        assertThat(discovery.isEverybodyAsked(now)).isTrue();
        assertThat(discovery.isEverySeedKnown(10 * SECOND, now)).isTrue();
    }

    @Test
    void anAddressIsDialledForAsLongAsASourceListsIt() {
        start(DIRECTORY, DATABASE);
        list(DIRECTORY, "b:1");
        list(DATABASE, "b:1");
        dialed.forEach(address -> fail(address, Discovery.Outcome.NOBODY));
        failUntil(2 * DAY, Discovery.Outcome.NOBODY);
        assertThat(discovery.unmet()).extracting(Discovery.Unmet::address).containsExactly("b:1");
        list(DIRECTORY);
        assertThat(discovery.unmet()).hasSize(1);
        list(DATABASE);
        assertThat(discovery.unmet()).isEmpty();
    }

    @Test
    void theAddressOfANodeThatIsNoLongerListedIsDialledForAMinute() {
        start(DIRECTORY);
        list(DIRECTORY, "peer:1");
        discovery.onFound("peer:1", PEER, true, now);
        discovery.onClosed(PEER, false, now);
        list(DIRECTORY);
        dialed.clear();
        failUntil(now + 59 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(dialed).hasSizeGreaterThan(20).containsOnly("peer:1");
    }

    @Test
    void aListedAddressAtWhichNobodyListensIsReportedAfterTenSeconds() {
        start(DIRECTORY);
        list(DIRECTORY, "a:1");
        dialed.forEach(address -> fail(address, Discovery.Outcome.NOBODY));
        failUntil(9 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(list(DIRECTORY, "a:1")).isEmpty();
        failUntil(13 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(list(DIRECTORY, "a:1")).containsExactly("a:1");
    }

    @Test
    void aSilentAddressIsReportedAfterHalfAMinute() {
        start(DIRECTORY);
        list(DIRECTORY, "a:1");
        dialed.forEach(address -> fail(address, Discovery.Outcome.SILENT));
        failUntil(29 * SECOND, Discovery.Outcome.SILENT);
        assertThat(list(DIRECTORY, "a:1")).isEmpty();
        failUntil(34 * SECOND, Discovery.Outcome.SILENT);
        assertThat(list(DIRECTORY, "a:1")).containsExactly("a:1");
    }

    @Test
    void neitherANodeWithASessionNorOneThatIsNotTrustedIsReported() {
        start(DIRECTORY);
        list(DIRECTORY, "peer:1", "c:1");
        discovery.onFound("peer:1", PEER, true, now);
        fail("c:1", Discovery.Outcome.UNTRUSTED);
        failUntil(100 * SECOND, Discovery.Outcome.UNTRUSTED);
        assertThat(list(DIRECTORY, "peer:1", "c:1")).isEmpty();
    }

    @Test
    void aNodeThatEndsIsReportedTenSecondsAfterItsSession() {
        start(DIRECTORY);
        list(DIRECTORY, "peer:1");
        discovery.onFound("peer:1", PEER, true, now);
        now = 100 * SECOND;
        discovery.onClosed(PEER, false, now);
        failUntil(109 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(list(DIRECTORY, "peer:1")).isEmpty();
        failUntil(113 * SECOND, Discovery.Outcome.NOBODY);
        assertThat(list(DIRECTORY, "peer:1")).containsExactly("peer:1");
    }

    @Test
    void aListIsBoundedAsAllAddressesAre() {
        start(DIRECTORY);
        List<String> many = new ArrayList<>();
        for (int number = 0; number < 1_000; number++) {
            many.add("host" + number + ":1");
        }
        discovery.onListed(DIRECTORY, many, now);
        assertThat(discovery.unmet()).hasSizeLessThanOrEqualTo(100);
    }
}
