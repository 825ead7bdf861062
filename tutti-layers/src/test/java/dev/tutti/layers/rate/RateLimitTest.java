package dev.tutti.layers.rate;

import static dev.tutti.testkit.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.core.stack.Signal;
import dev.tutti.testkit.LayerTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private static final long BURST_NANOS = 100_000_000;

    private static LayerTest limit(long bytes, long messages) {
        return LayerTest.of(new RateLimit(new Budget(bytes, BURST_NANOS), new Budget(messages, BURST_NANOS)))
                .signalUp(new Signal.ViewChange.Installed(View.alone(member(1)), 1, true));
    }

    private static long allowed(LayerTest layer) {
        return layer.takeRaised(Signal.Flow.Allowance.class).getLast().bytes();
    }

    /** Sends a packet of whole messages, five bytes each. */
    private static void send(LayerTest layer, int messages) {
        byte[] packet = new byte[1 + messages * 5];
        for (int message = 0; message < messages; message++) {
            packet[1 + message * 5 + 3] = 1;
        }
        layer.send(layer.packet(packet)).endTurn();
    }

    @Test
    void allowsWhatABurstTakesBeforeTheFirstView() {
        assertThat(allowed(limit(10_000, 0))).isEqualTo(1_001);
        assertThat(allowed(limit(0, 0))).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void pausesWhenTheBudgetIsOverdrawnUntilItIsPaid() {
        LayerTest layer = limit(10_000, 0);
        send(layer, 400);
        assertThat(layer.takeSent()).as("nothing is held").hasSize(1);
        assertThat(allowed(layer)).isZero();
        assertThat(layer.armed(RateLimit.RateTimer.PAID)).isEqualTo(Duration.ofNanos(2001 * 100_000L - BURST_NANOS));
        layer.advance(Duration.ofMillis(101));
        assertThat(allowed(layer)).isPositive();
        assertThat(layer.report()).containsEntry("pauses", "1").containsEntry("sent-bytes", "2001").containsEntry("sent-messages", "400");
    }

    @Test
    void countsMessagesOnePacketAtATime() {
        LayerTest layer = limit(0, 100);
        assertThat(allowed(layer)).isOne();
        send(layer, 5);
        assertThat(allowed(layer)).as("five of ten").isOne();
        send(layer, 15);
        assertThat(allowed(layer)).isZero();
        assertThat(layer.armed(RateLimit.RateTimer.PAID)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void holdsOverALongTime() {
        Budget budget = new Budget(1_000, BURST_NANOS);
        long spent = 0;
        for (long now = 0; now < 10_000_000_000L; now += 1_000_000) {
            while (budget.left(now) > 0) {
                budget.spend(300, now);
                spent += 300;
            }
        }
        assertThat(spent).isBetween(10_000L, 10_400L);
    }
}
