package dev.tutti.protocols.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.DialFailure;
import org.junit.jupiter.api.Test;

/** Sessions whose connections pass through a server. */
class RelayedLinksTest {

    private final LinkPair pair = new LinkPair();

    private void connectThroughServer() {
        pair.isRelayed = true;
        pair.isConfirming = true;
        pair.low.dialOther();
        pair.arrive();
        assertThat(pair.low.link().isConnected()).isTrue();
    }

    private void assertOneWholeSession() {
        for (LinkPair.Side side : new LinkPair.Side[] {pair.low, pair.high}) {
            assertThat(side.opened).isEqualTo(1);
            assertThat(side.closed).isZero();
            assertThat(side.received).isEqualTo(LinkPair.whole(side.link().epoch()));
        }
    }

    @Test
    void aDirectConnectionTakesOverWithinTheSession() {
        connectThroughServer();
        pair.isDirectPossible = true;
        pair.pass(1_000);
        pair.arrive();
        assertThat(pair.openConnections()).isEqualTo(1);
        assertThat(pair.isOpen(0)).isFalse();
        assertOneWholeSession();

        int dials = pair.low.directDials + pair.high.directDials;
        pair.pass(600_000);
        assertThat(pair.low.directDials + pair.high.directDials).isEqualTo(dials);
    }

    @Test
    void aDirectConnectionThatOnlyTheOtherSideCanOpenTakesOver() {
        connectThroughServer();
        pair.isDirectPossible = false;
        pair.pass(1_500);
        assertThat(pair.low.directDials).isEqualTo(1);
        assertThat(pair.high.directDials).isEqualTo(1);
        pair.isDirectPossible = true;
        pair.pass(60_000);
        assertThat(pair.openConnections()).isEqualTo(1);
        assertThat(pair.isOpen(0)).isFalse();
        assertOneWholeSession();
    }

    @Test
    void directDialsBecomeRareAndDisturbNothing() {
        connectThroughServer();
        pair.pass(10 * 60_000);
        // After 1, 2, 4, 8, 16, 32 seconds, and then once in a minute.
        assertThat(pair.low.directDials).isBetween(10, 18);
        assertThat(pair.isOpen(0)).isTrue();
        assertThat(pair.low.events).doesNotContain(DialFailure.UNREACHABLE.toString());
        assertOneWholeSession();
    }

    @Test
    void aBrokenConnectionIsReplacedByAnyAtOnce() {
        connectThroughServer();
        pair.breakAll();
        pair.arrive();
        assertThat(pair.openConnections()).isEqualTo(1);
        assertThat(pair.low.events).contains("resumed");
        assertOneWholeSession();
    }

    @Test
    void aRefusalDoesNotEndASessionThatWasRelayed() {
        connectThroughServer();
        pair.breakAll();
        // One side learns of the end, and dials again.
        pair.deliver(0);
        assertThat(pair.high.links.connection(2)).isNotNull();
        pair.refuse(pair.high, 2);
        assertThat(pair.high.link().isOpen()).isTrue();
        pair.pass(1_000);
        assertThat(pair.low.link().isConnected()).isTrue();
        assertOneWholeSession();
    }

    @Test
    void aBreakBesideADirectDialIsRepairedWithoutLossInEveryInterleaving() {
        for (int breakAt = 0; breakAt < 10; breakAt++) {
            int after = breakAt;
            int runs = Interleavings.explore(100_000, choices -> {
                LinkPair each = new LinkPair();
                each.isRelayed = true;
                each.isDirectPossible = true;
                each.low.dialOther();
                each.arrive();
                each.nowNanos += 1_000 * LinkPair.MS;
                each.low.input(each.low.links::onTimer);
                each.high.input(each.high.links::onTimer);
                for (int step = 0; step < 12; step++) {
                    if (step == after) {
                        each.breakAll();
                    }
                    boolean isNear = after - 2 <= step && step <= after + 3;
                    if (each.choices() > 0) {
                        each.deliver(isNear ? choices.choose(each.choices()) : step % each.choices());
                    }
                }
                each.pass(70_000);
                String story = "break at " + after + ", " + choices + " " + each;
                assertThat(each.openConnections()).as(story).isEqualTo(1);
                assertThat(each.low.received).as(story).isEqualTo(LinkPair.whole(each.low.link().epoch()));
                assertThat(each.high.received).as(story).isEqualTo(LinkPair.whole(each.high.link().epoch()));
                assertThat(each.low.closed + each.high.closed).as(story).isZero();
                return null;
            });
            assertThat(runs).isGreaterThan(1);
        }
    }
}
