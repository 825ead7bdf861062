package dev.tutti.internal.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.door.Backoff.Attempt;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final InetSocketAddress HERE = new InetSocketAddress("10.0.0.1", 1_000);
    private static final InetSocketAddress THERE = new InetSocketAddress("10.0.0.2", 1_000);

    private long nanos = -17;
    private final Backoff backoff = new Backoff(4, TimeUnit.SECONDS.toNanos(10), () -> nanos);

    private void fail(InetSocketAddress from, String account, int times) {
        for (int time = 0; time < times; time++) {
            Attempt attempt = backoff.begin(from, account);
            nanos += attempt.delayNanos();
            attempt.end(false);
        }
    }

    private long delayMillis(InetSocketAddress from, String account) {
        Attempt attempt = backoff.begin(from, account);
        attempt.abandon();
        return TimeUnit.NANOSECONDS.toMillis(attempt.delayNanos());
    }

    @Test
    void failuresDelayWhatFollowsMoreAndMoreUpToABound() {
        List<Long> delays = new ArrayList<>();
        for (int time = 0; time < 12; time++) {
            delays.add(delayMillis(HERE, "ann"));
            fail(HERE, "ann", 1);
        }
        assertThat(delays).startsWith(0L, 0L, 0L, 250L, 500L, 1_000L, 2_000L, 4_000L).endsWith(4_000L);
    }

    @Test
    void theRightOneGetsInWithinTheBoundWhateverOthersDo() {
        fail(HERE, "ann", 1_000);
        fail(THERE, "ann", 1_000);
        Attempt right = backoff.begin(HERE, "ann");
        assertThat(right.delayNanos()).isLessThanOrEqualTo(backoff.delayMaxNanos());
        right.end(true);
        assertThat(backoff.delayMaxNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(4));
    }

    @Test
    void checksThatTakeLongCountAsWaitingFromTheFirst() {
        List<Attempt> open = new ArrayList<>();
        for (int each = 0; each < 4; each++) {
            open.add(backoff.beginSlow(HERE, "user" + each));
        }
        assertThat(open).doesNotContainNull().allMatch(attempt -> attempt.delayNanos() == 0);
        assertThat(backoff.beginSlow(HERE, "another")).isNull();
        assertThat(backoff.beginSlow(THERE, "another")).isNotNull();
        open.getFirst().end(true);
        open.get(1).abandon();
        assertThat(backoff.beginSlow(HERE, "another")).isNotNull();
        assertThat(backoff.beginSlow(HERE, "a third")).isNotNull();
        assertThat(backoff.beginSlow(HERE, "one more")).isNull();
    }

    @Test
    void othersAreNotDelayed() {
        fail(HERE, "ann", 100);
        assertThat(delayMillis(THERE, "bob")).isZero();
        assertThat(delayMillis(HERE, "bob")).isEqualTo(4_000);
        assertThat(delayMillis(THERE, "ann")).isEqualTo(4_000);
    }

    @Test
    void whereThereIsOneAccountFailuresOfOneOriginDelayNobodyElse() {
        fail(HERE, "", 100);
        assertThat(delayMillis(HERE, "")).isEqualTo(4_000);
        assertThat(delayMillis(THERE, "")).isZero();
    }

    @Test
    void aFewOfAnOriginWaitAtATimeAndNoneOfThemBlocksAnother() {
        fail(HERE, "ann", 10);
        List<Attempt> waiting = new ArrayList<>();
        for (int time = 0; time < 4; time++) {
            waiting.add(backoff.begin(HERE, "ann"));
        }
        assertThat(backoff.begin(HERE, "ann")).isNull();
        assertThat(backoff.begin(THERE, "ann")).isNotNull();
        waiting.getFirst().abandon();
        waiting.getFirst().abandon();
        assertThat(backoff.begin(HERE, "ann")).isNotNull();
        assertThat(backoff.begin(HERE, "ann")).isNull();
    }

    @Test
    void successesMakeGoodWhatOthersOfTheAddressHaveFailed() {
        fail(HERE, "ann", 10);
        for (int time = 0; time < 8; time++) {
            backoff.begin(HERE, "bob").end(true);
        }
        assertThat(delayMillis(HERE, "bob")).isZero();
        assertThat(delayMillis(HERE, "ann")).isEqualTo(4_000);
    }

    @Test
    void failuresAreForgottenOneByOne() {
        fail(HERE, "ann", 1_000);
        nanos += 7 * Backoff.FORGET_NANOS;
        assertThat(delayMillis(HERE, "ann")).isEqualTo(250);
        nanos += 3 * Backoff.FORGET_NANOS;
        assertThat(delayMillis(HERE, "ann")).isZero();
        assertThat(backoff.remembered()).isZero();
    }

    @Test
    void remembersNoMoreThanItsBound() {
        for (int account = 0; account < 3 * Backoff.TALLIES_MAX; account++) {
            fail(new InetSocketAddress("10.1." + account % 200 + "." + account % 250, 1), "x".repeat(100) + account, 1);
            fail(THERE, "account" + account, 1);
        }
        assertThat(backoff.remembered()).isLessThanOrEqualTo(Backoff.TALLIES_MAX);
    }

    @Test
    void aLogInIsLookedAtWellWithinTheTimeItHas() {
        Backoff hasty = new Backoff(4, TimeUnit.MILLISECONDS.toNanos(300), () -> nanos);
        for (int time = 0; time < 20; time++) {
            hasty.begin(HERE, "ann").end(false);
            nanos++;
        }
        Attempt late = hasty.begin(HERE, "ann");
        assertThat(late.delayNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(150));
    }
}
