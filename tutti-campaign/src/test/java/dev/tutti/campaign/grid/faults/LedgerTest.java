package dev.tutti.campaign.grid.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LedgerTest {

    private static final long SECOND = 1_000_000_000;

    private final Ledger ledger = new Ledger(Duration.ofSeconds(30));

    @BeforeEach
    void register() {
        ledger.add("a", "berlin", 0);
        ledger.add("b", "paris", 0);
    }

    @Test
    void answerWithAllIsRight() {
        assertThat(ledger.check(20 * SECOND, Set.of("a", "b"), site -> false)).isEmpty();
        assertThat(ledger.present(Set.of("berlin"))).containsExactly("a");
    }

    @Test
    void answerThatLacksAProducerHasToNameItsSite() {
        assertThat(ledger.check(20 * SECOND, Set.of("a"), site -> false)).singleElement().asString().contains("not told of b", "paris");
        assertThat(ledger.check(20 * SECOND, Set.of("a"), "berlin"::equals)).hasSize(1);
        assertThat(ledger.check(20 * SECOND, Set.of("a"), "paris"::equals)).isEmpty();
    }

    @Test
    void newProducerMayBeUnknownForAWhile() {
        ledger.add("c", "paris", 20 * SECOND);
        assertThat(ledger.check(30 * SECOND, Set.of("a", "b"), site -> false)).isEmpty();
        assertThat(ledger.check(31 * SECOND, Set.of("a", "b"), site -> false)).hasSize(1);
    }

    @Test
    void entryOfAProducerThatHasEndedIsStaleAfterAWhile() {
        ledger.end("b", 10 * SECOND);
        assertThat(ledger.check(40 * SECOND, Set.of("a", "b"), site -> false)).isEmpty();
        assertThat(ledger.check(41 * SECOND, Set.of("a", "b"), site -> false))
                .isEqualTo(List.of("was told of b 31000 ms after its end"));
        assertThat(ledger.check(41 * SECOND, Set.of("a"), site -> false)).isEmpty();
    }

    @Test
    void producerThatNobodyHasRegisteredIsWrong() {
        assertThat(ledger.check(SECOND, Set.of("a", "b", "x"), site -> false)).singleElement().asString().contains("x");
    }
}
