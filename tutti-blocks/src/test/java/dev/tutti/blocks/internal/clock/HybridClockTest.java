package dev.tutti.blocks.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stamps where clocks are set back, leap and differ. */
class HybridClockTest {

    private static final long ERROR_MAX_MILLIS = 1_000;
    private static final long HOUR_MILLIS = 3_600_000;

    /** Time that the test controls. */
    private static final class Hands implements Threads {
        private long nanos = 5;
        private long wallMillis = 1_000_000_000;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long epochMillis() {
            return wallMillis;
        }

        void pass(long millis) {
            nanos += millis * 1_000_000;
            wallMillis += millis;
        }
    }

    private final Hands hands = new Hands();
    private final HybridClock clock = new HybridClock("map", hands, "n1:1", ERROR_MAX_MILLIS);

    private static long millis(long stamp) {
        return stamp >> 16;
    }

    @Test
    void stampsGrowWithTheWallClockAndWhenItStandsOrIsSetBack() {
        long first = clock.tick();
        assertThat(millis(first)).isEqualTo(1_000_000_000);
        assertThat(clock.tick()).isEqualTo(first + 1);
        hands.pass(7);
        assertThat(millis(clock.tick())).isEqualTo(1_000_000_007);
        hands.wallMillis -= HOUR_MILLIS;
        long before = clock.tick();
        assertThat(millis(before)).isEqualTo(1_000_000_007);
        assertThat(clock.tick()).isEqualTo(before + 1);
    }

    @Test
    void moreStampsThanAMillisecondHasGoOnInTheNext() {
        long last = clock.tick();
        for (int index = 0; index < 1 << 17; index++) {
            long next = clock.tick();
            assertThat(next).isEqualTo(last + 1);
            last = next;
        }
        assertThat(millis(last)).isEqualTo(1_000_000_002);
    }

    @Test
    void nextStampIsAfterWhatWasLearned() {
        long remote = (hands.wallMillis + 500) << 16;
        clock.learn(remote);
        assertThat(clock.tick()).isEqualTo(remote + 1);
        assertThat(clock.refused()).isZero();
    }

    @Test
    void stampBeyondTheLimitIsNotLearnedButOverruled() {
        long remote = (hands.wallMillis + HOUR_MILLIS) << 16;
        clock.learn(remote);
        assertThat(clock.refused()).isEqualTo(1);
        assertThat(millis(clock.tick())).isEqualTo(hands.wallMillis);
        assertThat(clock.stamp(remote)).isEqualTo(new HybridClock.Stamp(remote + 1, hands.wallMillis));
        assertThat(millis(clock.tick())).isEqualTo(hands.wallMillis);
        assertThat(clock.stamp(Long.MAX_VALUE).written()).isPositive();
    }

    @Test
    void wallClockIsCutToTheLimitAroundTheMedian() {
        clock.read("n2:1", hands.wallMillis);
        clock.read("n3:1", hands.wallMillis + 20);
        hands.wallMillis += HOUR_MILLIS;
        assertThat(millis(clock.tick())).isBetween(1_000_001_000L, 1_000_001_020L);
        assertThat(clock.cut()).isEqualTo(1);
        assertThat(clock.errorMillis()).isBetween(HOUR_MILLIS - 20, HOUR_MILLIS);
        hands.wallMillis -= 2 * HOUR_MILLIS;
        clock.tick();
        assertThat(clock.errorMillis()).isBetween(-HOUR_MILLIS - 20, -HOUR_MILLIS);
        hands.pass(10_000);
        assertThat(millis(clock.tick())).as("time goes on while the clock is wrong").isBetween(1_000_009_000L, 1_000_009_020L);
        hands.wallMillis += HOUR_MILLIS;
        assertThat(millis(clock.tick())).isEqualTo(1_000_010_000);
        assertThat(clock.cut()).isEqualTo(3);
    }

    @Test
    void oneWrongClockOfThreeCutsNobodyElse() {
        clock.read("n2:1", hands.wallMillis + HOUR_MILLIS);
        clock.read("n3:1", hands.wallMillis);
        assertThat(millis(clock.tick())).isEqualTo(hands.wallMillis);
        assertThat(clock.cut()).isZero();
        assertThat(clock.errorMillis()).isZero();
    }

    @Test
    void twoNodesWhoseClocksDifferMeetAtOneOfThem() {
        clock.read("n2:1", hands.wallMillis - HOUR_MILLIS);
        assertThat(millis(clock.tick())).isEqualTo(hands.wallMillis - HOUR_MILLIS + ERROR_MAX_MILLIS);
        HybridClock other = new HybridClock("map", hands, "n2:1", ERROR_MAX_MILLIS);
        other.read("n1:1", hands.wallMillis + HOUR_MILLIS);
        assertThat(millis(other.tick())).isEqualTo(hands.wallMillis);
    }

    @Test
    void messageThatWasLongUnderWayDoesNotShiftAClock() {
        clock.read("n2:1", hands.wallMillis);
        long sent = hands.wallMillis;
        hands.pass(8_000);
        clock.read("n2:1", sent);
        assertThat(clock.errorMillis()).isZero();
        hands.pass(8_000);
        clock.read("n2:1", sent);
        assertThat(clock.errorMillis()).isZero();
    }

    @Test
    void clockThatWasSetRightIsBelievedAfterTwoPeriods() {
        clock.read("n2:1", hands.wallMillis + HOUR_MILLIS);
        for (int index = 0; index < 5; index++) {
            hands.pass(6_000);
            clock.read("n2:1", hands.wallMillis);
        }
        assertThat(clock.errorMillis()).isZero();
    }

    @Test
    void newcomerKnowsTheClocksOfThoseWhoGaveTheState() {
        clock.read("n2:1", hands.wallMillis);
        clock.read("n3:1", hands.wallMillis);
        long stamp = clock.tick();
        hands.pass(4_000);
        HybridClock.Known time = clock.time();
        assertThat(time).isEqualTo(new HybridClock.Known(stamp, Map.of(
                "n1:1", hands.wallMillis, "n2:1", hands.wallMillis, "n3:1", hands.wallMillis)));
        hands.wallMillis -= HOUR_MILLIS;
        HybridClock late = new HybridClock("map", hands, "n4:1", ERROR_MAX_MILLIS);
        late.learn(time);
        assertThat(millis(late.tick())).isEqualTo(1_000_003_000);
    }

    @Test
    void clocksThatNobodyCanHaveAreIgnored() {
        clock.read("n2:1", -1);
        clock.read("n3:1", Long.MAX_VALUE);
        clock.read("n1:1", 7);
        hands.wallMillis = Long.MIN_VALUE;
        assertThat(clock.tick()).isPositive();
        assertThat(clock.errorMillis()).isZero();
    }
}
