package dev.tutti.grid.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.time.Instant;
import java.util.ArrayList;
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
        assertThat(outgoing.numbers().get("unsent")).isPositive();
        assertThat(outgoing.numbers().get("unsent-waiting-bytes")).isLessThanOrEqualTo(BYTES_MAX);
    }

    @Test
    void saysWhenMoreWaitsThatIsNeverDropped() {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        boolean isWithin = true;
        for (int i = 0; i < 1_000 && isWithin; i++) {
            isWithin = outgoing.add(new ClientMessage.Load("p", 0.5));
        }
        assertThat(isWithin).isFalse();
        assertThat(outgoing.numbers().get("unsent-waiting-bytes")).isLessThan(2 * BYTES_MAX);
        List<ClientMessage> registered = Collections.nCopies(1_000, new ClientMessage.Load("p", 0.5));
        outgoing.restart(registered);
        // All that a connection begins with may wait, and as much again as the bound.
        assertThat(outgoing.add(new ClientMessage.Load("p", 0.5))).isTrue();
        outgoing.restart(List.of());
        assertThat(outgoing.numbers().get("unsent-waiting-bytes")).isZero();
        assertThat(outgoing.add(new ClientMessage.Load("p", 0.5))).isTrue();
    }

    private static List<Long> sent(Outgoing outgoing) throws InterruptedException {
        List<Long> numbers = new ArrayList<>();
        while (!outgoing.isEmpty()) {
            ClientMessage.read(outgoing.next(() -> true), message -> numbers.add(((ClientMessage.Publish) message).measurement().sequence()));
        }
        return numbers;
    }

    @Test
    void sendsAgainWhatTheMediatorHasNotConfirmed() throws InterruptedException {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        for (int i = 1; i <= 4; i++) {
            outgoing.add(measurement(i));
        }
        assertThat(sent(outgoing)).containsExactly(1L, 2L, 3L, 4L);
        outgoing.confirm(2);
        outgoing.add(measurement(5));
        outgoing.restart(List.of());
        assertThat(sent(outgoing)).containsExactly(3L, 4L, 5L);
        // Counted from the beginning of the second connection.
        outgoing.confirm(1);
        outgoing.restart(List.of());
        assertThat(sent(outgoing)).containsExactly(4L, 5L);
        outgoing.confirm(Long.MAX_VALUE);
        outgoing.restart(List.of());
        assertThat(outgoing.isEmpty()).isTrue();
        assertThat(outgoing.numbers()).containsEntry("sent", 9L).containsEntry("sent-again", 4L).containsEntry("unconfirmed-bytes", 0L);
    }

    @Test
    void forgetsUnconfirmedMeasurementsBeforeItDropsThoseThatWait() throws InterruptedException {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        for (int i = 1; i <= 6; i++) {
            outgoing.add(measurement(i));
        }
        sent(outgoing);
        for (int i = 7; i <= 12; i++) {
            outgoing.add(measurement(i));
        }
        Map<String, Long> numbers = outgoing.numbers();
        assertThat(numbers).containsEntry("unsent", 0L);
        assertThat(numbers.get("unconfirmed-dropped")).isBetween(1L, 6L);
        assertThat(numbers.get("unconfirmed-bytes") + numbers.get("unsent-waiting-bytes")).isLessThanOrEqualTo(BYTES_MAX);
        // Those that were forgotten count among the first ones of the connection.
        outgoing.confirm(6);
        assertThat(outgoing.numbers()).containsEntry("unconfirmed-bytes", 0L);
        outgoing.restart(List.of());
        assertThat(sent(outgoing)).containsExactly(7L, 8L, 9L, 10L, 11L, 12L);
    }

    @Test
    void tellsWhatItHasDroppedBeforeTheMeasurementsThatAreLeft() throws InterruptedException {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        for (int i = 1; i <= 12; i++) {
            outgoing.add(measurement(i));
        }
        long dropped = outgoing.numbers().get("unsent");
        assertThat(dropped).isBetween(2L, 6L);
        outgoing.restart(List.of(new ClientMessage.Load("p", 0.5)));
        List<ClientMessage> told = new ArrayList<>();
        ClientMessage.read(outgoing.next(() -> true), told::add);
        assertThat(told.get(0)).isEqualTo(new ClientMessage.Load("p", 0.5));
        assertThat(told.get(1)).isEqualTo(new ClientMessage.Lost("p", dropped));
        assertThat(((ClientMessage.Publish) told.get(2)).measurement().sequence()).isEqualTo(dropped + 1);
        assertThat(outgoing.numbers()).containsEntry("sent", 12 - dropped).containsEntry("unsent", dropped);
        // The next mediator is told again, unless this one has confirmed it as the first of all.
        outgoing.restart(List.of());
        told.clear();
        ClientMessage.read(outgoing.next(() -> true), told::add);
        assertThat(told.getFirst()).isEqualTo(new ClientMessage.Lost("p", dropped));
        outgoing.confirm(1);
        outgoing.restart(List.of());
        assertThat(sent(outgoing)).startsWith(dropped + 1);
    }
}
