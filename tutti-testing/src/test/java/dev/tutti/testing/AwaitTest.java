package dev.tutti.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

    @Test
    void returnsWhenTheConditionHolds() {
        AtomicInteger looks = new AtomicInteger();
        Await.until("three looks", () -> looks.incrementAndGet() == 3);
        assertThat(looks).hasValue(3);
    }

    @Test
    void failsWithTheNameOfTheConditionAfterTheLimit() {
        assertThatThrownBy(() -> Await.until(Duration.ZERO, () -> "two members", () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessage("not within 0 s: two members");
    }

    @Test
    void failsWhenTheThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Await.until("two members", () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessage("interrupted while waiting: two members");
        assertThat(Thread.interrupted()).isTrue();
    }
}
