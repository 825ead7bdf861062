package dev.tutti.grid.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The queue of a client whose mediator takes nothing. */
class OutgoingTest {

    private static final int BYTES_MAX = 10_000;

    private static ClientMessage measurement(int sequence) {
        return new ClientMessage.Publish(new Measurement(
                "p", sequence, Topic.of("a"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(new byte[1_000])));
    }

    @Test
    void dropsTheOldestMeasurementsAndNothingElse() {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        assertThat(outgoing.add(new ClientMessage.Withdraw("x"))).isTrue();
        for (int i = 1; i <= 20; i++) {
            assertThat(outgoing.add(measurement(i))).isTrue();
        }
        assertThat(outgoing.dropped()).isPositive();
        assertThat(outgoing.waitingBytes()).isLessThanOrEqualTo(BYTES_MAX);
    }

    @Test
    void saysWhenMoreWaitsThatIsNeverDropped() {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        boolean isWithin = true;
        for (int i = 0; i < 1_000 && isWithin; i++) {
            isWithin = outgoing.add(new ClientMessage.Load("p", 0.5));
        }
        assertThat(isWithin).isFalse();
        assertThat(outgoing.waitingBytes()).isLessThan(2 * BYTES_MAX);
        List<ClientMessage> registered = Collections.nCopies(1_000, new ClientMessage.Load("p", 0.5));
        outgoing.restart(registered);
        // All that a connection begins with may wait, and as much again as the bound.
        assertThat(outgoing.add(new ClientMessage.Load("p", 0.5))).isTrue();
        outgoing.restart(List.of());
        assertThat(outgoing.waitingBytes()).isZero();
        assertThat(outgoing.add(new ClientMessage.Load("p", 0.5))).isTrue();
    }
}
