package dev.tutti.protocols.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two nodes whose dials cross and whose connections break, in every order in which things can arrive. The order of the last two
 * steps is explored with {@code -Dtutti.test.tries} only.
 */
@Tag("seeds")
@Order(1)
class LinkPairTest {

    private static final int RUNS_MAX = 300_000;
    private static final int RUNS_MIN = 300;

    /** Number of last steps that come in one order. */
    private static final int LATE = Integer.getInteger("tutti.test.tries", 0) > 0 ? 0 : 2;

    private static void assertOneSession(LinkPair pair, Supplier<String> choices) {
        // Text only for a failure: there are hundreds of thousands of runs.
        Supplier<String> story = () -> choices.get() + " " + pair;
        assertThat(pair.openConnections()).as(story).isEqualTo(1);
        assertThat(pair.low.link().isOpen()).as(story).isTrue();
        assertThat(pair.high.link().isOpen()).as(story).isTrue();
        assertThat(pair.low.link().isConnected()).as(story).isTrue();
        assertThat(pair.high.link().isConnected()).as(story).isTrue();
        long epoch = pair.low.link().epoch();
        assertThat(pair.high.link().epoch()).as(story).isEqualTo(epoch);
        assertThat(pair.low.received).as(story).isEqualTo(LinkPair.whole(epoch));
        assertThat(pair.high.received).as(story).isEqualTo(LinkPair.whole(epoch));
    }

    @Test
    void crossedDialsLeaveOneConnectionInEveryInterleaving() {
        int runs = Interleavings.explore(RUNS_MAX, choices -> {
            LinkPair pair = new LinkPair();
            pair.low.dialOther();
            pair.high.dialOther();
            // All orders of the steps that matter, and then one order.
            for (int step = 0; step < 11 - LATE && pair.choices() > 0; step++) {
                pair.deliver(choices.choose(pair.choices()));
            }
            pair.settle();
            assertOneSession(pair, choices::toString);
            assertThat(pair.low.opened + pair.high.opened).as(pair::toString).isEqualTo(2);
            assertThat(pair.low.closed + pair.high.closed).as(pair::toString).isZero();
            // A third where the end of the dropped one overtakes the WELCOME of the other.
            assertThat(pair.all).as(() -> choices + " " + pair).hasSizeLessThanOrEqualTo(3);
            return null;
        });
        assertThat(runs).isGreaterThan(RUNS_MIN);
    }

    @Test
    void twoDialsOfOneSideLeaveOneConnectionInEveryInterleaving() {
        int runs = Interleavings.explore(RUNS_MAX, choices -> {
            LinkPair pair = new LinkPair();
            pair.high.dialOther();
            pair.high.dialOther();
            for (int step = 0; step < 11 - LATE && pair.choices() > 0; step++) {
                pair.deliver(choices.choose(pair.choices()));
            }
            pair.settle();
            assertOneSession(pair, choices::toString);
            assertThat(pair.low.opened + pair.high.opened).as(pair::toString).isEqualTo(2);
            return null;
        });
        assertThat(runs).isGreaterThan(RUNS_MIN);
    }

    @Test
    void aBreakAtAnyPointOfCrossedDialsIsRepairedWithoutLoss() {
        for (int breakAt = 0; breakAt < 14; breakAt++) {
            int after = breakAt;
            Interleavings.explore(RUNS_MAX, choices -> {
                LinkPair pair = new LinkPair();
                pair.low.dialOther();
                pair.high.dialOther();
                for (int step = 0; step < 14 && pair.choices() > 0; step++) {
                    if (step == after) {
                        pair.breakAll();
                    }
                    boolean isNear = after - 2 <= step && step <= after + 4 - LATE;
                    if (pair.choices() > 0) {
                        pair.deliver(isNear ? choices.choose(pair.choices()) : step % pair.choices());
                    }
                }
                pair.settle();
                assertOneSession(pair, () -> "break at " + after + ", " + choices);
                assertThat(pair.low.closed + pair.high.closed).as(pair::toString).isZero();
                return null;
            });
        }
    }

    @Test
    void bothSidesResumeAfterABreakInEveryInterleaving() {
        int runs = Interleavings.explore(RUNS_MAX, choices -> {
            LinkPair pair = new LinkPair();
            pair.high.dialOther();
            pair.settle();
            pair.breakAll();
            for (int step = 0; step < 13 - LATE && pair.choices() > 0; step++) {
                pair.deliver(choices.choose(pair.choices()));
            }
            pair.settle();
            assertOneSession(pair, choices::toString);
            assertThat(pair.low.link().epoch()).isEqualTo(1);
            assertThat(pair.low.closed + pair.high.closed).as(pair::toString).isZero();
            return null;
        });
        assertThat(runs).isGreaterThan(RUNS_MIN);
    }

    @Test
    void aSilentConnectionIsReplacedWithoutLossInEveryInterleaving() {
        replaceInEveryInterleaving(10, (pair, choices) -> (choices.choose(2) == 0 ? pair.low : pair.high).silent());
    }

    @Test
    void bothSidesReplaceASilentConnectionByOneInEveryInterleaving() {
        replaceInEveryInterleaving(9, (pair, choices) -> {
            pair.low.silent();
            pair.high.silent();
        });
    }

    @Test
    void whatAConnectionBringsThatLookedSilentEndsNoSession() {
        int runs = Interleavings.explore(RUNS_MAX, choices -> {
            LinkPair pair = connectedWithFramesUnderWay();
            pair.isConfirming = true;
            (choices.choose(2) == 0 ? pair.low : pair.high).silent();
            for (int step = 0; step < 10 - LATE && pair.choices() > 0; step++) {
                pair.deliver(choices.choose(pair.choices()));
            }
            pair.settle();
            assertOneSession(pair, choices::toString);
            assertThat(pair.low.link().epoch()).as(pair::toString).isEqualTo(1);
            assertThat(pair.low.closed + pair.high.closed).as(pair::toString).isZero();
            return null;
        });
        assertThat(runs).isGreaterThan(RUNS_MIN);
    }

    private static void replaceInEveryInterleaving(int steps, BiConsumer<LinkPair, Interleavings.Choices> silence) {
        int runs = Interleavings.explore(RUNS_MAX, choices -> {
            LinkPair pair = connectedWithFramesUnderWay();
            silence.accept(pair, choices);
            for (int step = 0; step < steps - LATE && pair.choices() > 0; step++) {
                pair.deliver(choices.choose(pair.choices()));
            }
            pair.settle();
            assertOneSession(pair, choices::toString);
            assertThat(pair.low.link().epoch()).isEqualTo(1);
            assertThat(pair.low.closed + pair.high.closed).as(pair::toString).isZero();
            assertThat(pair.isOpen(0)).as(() -> "the silent one, " + choices + " " + pair).isFalse();
            return null;
        });
        assertThat(runs).isGreaterThan(RUNS_MIN);
    }

    @Test
    void oneDialBesideASilentConnectionIsEnough() {
        for (boolean isLow : new boolean[] {true, false}) {
            LinkPair pair = new LinkPair();
            pair.high.dialOther();
            pair.settle();
            (isLow ? pair.low : pair.high).silent();
            while (pair.choices() > 0) {
                // Everything from the silent one, including its end, comes after all that the new one brings.
                pair.deliver(pair.choices() - 1);
            }
            assertThat(pair.all).as("of the lower one: " + isLow).hasSize(2);
            assertOneSession(pair, () -> "");
            assertThat(pair.isOpen(1)).isTrue();
        }
    }

    @Test
    void aDialBesideASilentConnectionIsGivenUpAndTheConnectionStays() {
        LinkPair pair = new LinkPair();
        pair.high.dialOther();
        pair.settle();
        pair.low.silent();
        pair.low.silent();
        assertThat(pair.all).as("one at a time").hasSize(2);
        pair.nowNanos += 500 * LinkPair.MS;
        pair.low.input(pair.low.links::onTimer);
        pair.low.silent();
        assertThat(pair.all).as("and another one after half a second").hasSize(3);
        assertThat(pair.low.link().isConnected()).isTrue();
        assertThat(pair.isOpen(0)).isTrue();
    }

    private static LinkPair connectedWithFramesUnderWay() {
        LinkPair pair = new LinkPair();
        pair.high.dialOther();
        while (pair.high.link() == null || !pair.high.link().isConnected()) {
            pair.deliver(0);
        }
        return pair;
    }

    @Test
    void aSessionThatOneSideClosesEndsAtBothBeforeTheNextInEveryInterleaving() {
        int runs = Interleavings.explore(RUNS_MAX, choices -> {
            LinkPair pair = new LinkPair();
            pair.high.dialOther();
            pair.settle();
            LinkPair.Side closer = choices.choose(2) == 0 ? pair.low : pair.high;
            LinkPair.Side other = closer.other();
            closer.input(() -> closer.links.close(closer.link(), false, "test"));
            closer.redial = true;
            closer.expected = other.id;
            boolean isDialed = false;
            for (int step = 0; step < 10 - LATE; step++) {
                int options = pair.choices() + (isDialed ? 0 : 1);
                if (options == 0) {
                    break;
                }
                int choice = choices.choose(options);
                if (choice == pair.choices()) {
                    isDialed = true;
                    closer.redial = false;
                    closer.input(() -> closer.links.dial(other.id.address(), other.id));
                } else {
                    pair.deliver(choice);
                }
                // Neither may be in the new session while the other still is in the old one.
                long epoch = Math.max(pair.low.link().epoch(), pair.high.link().epoch());
                if (epoch > 1) {
                    assertThat(pair.low.closed).as(() -> choices + " " + pair).isEqualTo(1);
                    assertThat(pair.high.closed).as(() -> choices + " " + pair).isEqualTo(1);
                }
            }
            pair.settle();
            assertOneSession(pair, choices::toString);
            assertThat(pair.low.link().epoch()).isEqualTo(2);
            assertThat(pair.low.closed).isEqualTo(1);
            assertThat(pair.high.closed).isEqualTo(1);
            return null;
        });
        assertThat(runs).isGreaterThan(RUNS_MIN);
    }

    @Test
    void aProcessThatRefusesAfterABreakIsGone() {
        LinkPair pair = new LinkPair();
        pair.high.dialOther();
        pair.settle();
        int before = pair.all.size();
        pair.low.input(() -> pair.low.links.onDisconnected(1, false, "reset"));
        assertThat(pair.all).hasSize(before + 1);
        assertThat(pair.low.link().isOpen()).as("a break alone says nothing").isTrue();
        pair.refuse(pair.low, 2);
        assertThat(pair.low.link().isOpen()).isFalse();
        assertThat(pair.low.events).last().isEqualTo("closed: its process is gone: host:2 refuses connections");
    }
}
