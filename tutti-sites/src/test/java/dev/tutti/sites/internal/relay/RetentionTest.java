package dev.tutti.sites.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.MemoryLog;
import dev.tutti.sites.internal.log.OriginMember;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Counts, bytes and ages of the messages that each other site lacks. */
class RetentionTest {

    private static final long SECOND = 1_000_000_000L;
    private static final List<String> SITES = List.of("paris", "tokyo");
    private static final OriginMember SENDER = new OriginMember(1, 1, "b1");

    private final Retention retention = new Retention("berlin", new MemoryLog());

    private void keep(long number, String... reach) {
        retention.keep(new Entry(SENDER, number, List.of(reach), false, new byte[36]));
    }

    private static SequenceVector upTo(long number) {
        SequenceVector vector = new SequenceVector();
        vector.raise(SENDER, number);
        return vector;
    }

    private void addAll() {
        SITES.forEach(site -> retention.add(site, new SequenceVector()));
    }

    @Test
    void eachSiteLacksOnlyItsOwnMessages() {
        addAll();
        keep(1);
        keep(2, "paris");
        keep(3, "tokyo");
        assertThat(retention.lag("paris", 0)).isEqualTo(new Lag(2, 200, 0));
        assertThat(retention.lag("tokyo", 0)).isEqualTo(new Lag(2, 200, 0));
        retention.acknowledge("paris", upTo(3));
        assertThat(retention.lag("paris", 0)).isEqualTo(Lag.NONE);
        assertThat(retention.count()).isEqualTo(3);
        retention.acknowledge("tokyo", upTo(1));
        assertThat(retention.lag("tokyo", 0)).isEqualTo(new Lag(1, 100, 0));
        assertThat(retention.count()).isOne();
        retention.acknowledge("tokyo", upTo(3));
        assertThat(retention.count()).isZero();
    }

    @Test
    void messagesOfOneSiteDoNotWaitForAnotherThatNeedsNone() {
        addAll();
        keep(1, "paris");
        keep(2, "paris");
        retention.acknowledge("paris", upTo(2));
        assertThat(retention.count()).isZero();
    }

    @Test
    void ageIsThatOfTheOldestMessageThatIsLacking() {
        addAll();
        keep(1);
        retention.look(10 * SECOND);
        keep(2);
        retention.look(20 * SECOND);
        keep(3);
        assertThat(retention.lag("paris", 30 * SECOND).ageNanos()).isEqualTo(20 * SECOND);
        retention.acknowledge("paris", upTo(1));
        assertThat(retention.lag("paris", 30 * SECOND).ageNanos()).isEqualTo(10 * SECOND);
        retention.acknowledge("paris", upTo(2));
        assertThat(retention.lag("paris", 30 * SECOND)).isEqualTo(new Lag(1, 100, 0));
        assertThat(retention.lag("tokyo", 30 * SECOND)).isEqualTo(new Lag(3, 300, 20 * SECOND));
        assertThat(retention.lag("oslo", 30 * SECOND)).isEqualTo(Lag.NONE);
    }

    @Test
    void agesOfALongOutageAreKnownWithFewMarks() {
        addAll();
        int looks = 10 * Ages.MARKS_MAX;
        for (int look = 1; look <= looks; look++) {
            keep(look);
            retention.look(look * SECOND);
        }
        long now = (looks + 1) * SECOND;
        assertThat(retention.lag("paris", now).ageNanos()).isGreaterThan(now * 9 / 10).isLessThanOrEqualTo(now - SECOND);
        retention.acknowledge("paris", upTo(looks - 1));
        assertThat(retention.lag("paris", now).ageNanos()).isLessThan(now / 10);
    }

    @Test
    void droppedMessagesAreNotLackedAnyMore() {
        addAll();
        for (int number = 1; number <= 4; number++) {
            keep(number);
        }
        retention.acknowledge("paris", upTo(1));
        assertThat(retention.dropDownTo(250)).isEqualTo(2);
        assertThat(retention.lag("paris", 0)).isEqualTo(new Lag(2, 200, 0));
        assertThat(retention.lag("tokyo", 0)).isEqualTo(new Lag(2, 200, 0));
        assertThat(retention.takeDropped()).isEqualTo(2);
        assertThat(retention.takeDropped()).isZero();
    }

    @Test
    void aSiteThatBecomesKnownLacksWhatComesBehindItsStart() {
        retention.add("paris", new SequenceVector());
        keep(1);
        keep(2);
        retention.add("tokyo", upTo(1));
        assertThat(retention.lag("tokyo", 0)).isEqualTo(new Lag(1, 100, 0));
        retention.forget("paris");
        assertThat(retention.count()).isOne();
        retention.forget("tokyo");
        assertThat(retention.count()).isZero();
    }

    @Test
    void countsAreThoseOfTheLogWhateverHappens() {
        for (int seed = 1; seed <= 300; seed++) {
            check(seed);
        }
    }

    private static void check(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Retention retention = new Retention("berlin", new MemoryLog());
        retention.add("paris", new SequenceVector());
        long sent = 0;
        for (int step = 0; step < 200; step++) {
            String site = SITES.get(random.nextInt(2));
            switch (random.nextInt(7)) {
                case 0 -> retention.acknowledge(site, upTo(random.nextLong(sent + 1)));
                case 1 -> retention.dropDownTo(1_000);
                case 2 -> {
                    if (random.nextInt(10) == 0) {
                        retention.forget(site);
                    } else {
                        retention.add(site, upTo(random.nextLong(sent + 1)));
                    }
                }
                default -> {
                    List<String> reach = random.nextBoolean() ? List.of() : List.of(site);
                    retention.keep(new Entry(SENDER, ++sent, reach, false, new byte[36]));
                }
            }
            for (String other : retention.sites()) {
                long lacked = retention.entries().stream()
                        .filter(entry -> Retention.isFor(entry, other))
                        .filter(entry -> !retention.acknowledged(other).covers(entry.member(), entry.sequence()))
                        .count();
                assertThat(retention.lag(other, 0).messages()).as("seed %d, step %d, %s", seed, step, other).isEqualTo(lacked);
                assertThat(retention.lag(other, 0).bytes()).as("seed %d, step %d, %s", seed, step, other).isEqualTo(lacked * 100);
            }
            retention.look(step);
            assertThat(retention.lagging().isEmpty()).as("seed %d, step %d", seed, step).isEqualTo(retention.count() == 0);
        }
    }
}
