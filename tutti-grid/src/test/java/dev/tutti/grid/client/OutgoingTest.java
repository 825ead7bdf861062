package dev.tutti.grid.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The queue of a client whose mediator takes nothing. */
class OutgoingTest {

    private static final int BYTES_MAX = 10_000;

    /** A connection that has ended already. */
    private static final Outgoing.Way NOBODY = new Outgoing.Way() {
        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public CompletableFuture<?> send(byte[] message) {
            throw new AssertionError("nothing is sent on a connection that has ended");
        }
    };

    /** A connection that remembers what is sent, and takes it when the test says so. */
    private static final class Peer implements Outgoing.Way {

        private final List<Long> sent = new ArrayList<>();
        private final List<CompletableFuture<Void>> sending = new ArrayList<>();

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public CompletableFuture<?> send(byte[] message) {
            sent.addAll(sequences(message));
            sending.add(new CompletableFuture<>());
            return sending.getLast();
        }
    }

    private static List<Long> sequences(byte[] message) {
        List<Long> numbers = new ArrayList<>();
        ClientMessage.read(message, each -> numbers.add(((ClientMessage.Publish) each).measurement().sequence()));
        return numbers;
    }

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
        outgoing.restart(registered, NOBODY);
        // All that a connection begins with may wait, and as much again as the bound.
        assertThat(outgoing.add(new ClientMessage.Load("p", 0.5))).isTrue();
        outgoing.restart(List.of(), NOBODY);
        assertThat(outgoing.numbers().get("unsent-waiting-bytes")).isZero();
        assertThat(outgoing.add(new ClientMessage.Load("p", 0.5))).isTrue();
    }

    private static List<Long> sent(Outgoing outgoing) throws InterruptedException {
        List<Long> numbers = new ArrayList<>();
        while (!outgoing.isEmpty()) {
            numbers.addAll(sequences(outgoing.next(() -> true)));
        }
        return numbers;
    }

    @Test
    void sendsAMeasurementAtOnceThatNothingWaitsBefore() throws InterruptedException {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        Peer peer = new Peer();
        outgoing.restart(List.of(), peer);
        outgoing.add(measurement(1));
        outgoing.add(measurement(2));
        assertThat(peer.sent).containsExactly(1L);
        assertThat(outgoing.next(() -> false)).as("while the first one is being sent").isEmpty();
        peer.sending.getFirst().complete(null);
        assertThat(sequences(outgoing.next(() -> true))).containsExactly(2L);
        outgoing.add(measurement(3));
        outgoing.add(new ClientMessage.Load("p", 0.5));
        assertThat(peer.sent).as("while the thread is sending").containsExactly(1L);
        List<ClientMessage> next = new ArrayList<>();
        ClientMessage.read(outgoing.next(() -> true), next::add);
        assertThat(next).hasSize(2);
        assertThat(outgoing.numbers()).containsEntry("sent", 3L);
        outgoing.confirm(3);
        assertThat(outgoing.numbers()).containsEntry("unconfirmed-bytes", 0L);
    }

    @Test
    void sendsAgainWhatWasBeingSentWhenTheConnectionEnded() throws InterruptedException {
        Outgoing outgoing = new Outgoing(BYTES_MAX);
        Peer first = new Peer();
        Peer second = new Peer();
        outgoing.restart(List.of(), first);
        outgoing.add(measurement(1));
        outgoing.restart(List.of(), second);
        assertThat(sequences(outgoing.next(() -> true))).containsExactly(1L);
        // The end of what was on the connection before says nothing about this one.
        first.sending.getFirst().completeExceptionally(new IOException("closed"));
        outgoing.add(measurement(2));
        assertThat(second.sent).isEmpty();
        assertThat(sequences(outgoing.next(() -> true))).containsExactly(2L);
        assertThat(outgoing.numbers()).containsEntry("sent-again", 1L);
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
        outgoing.restart(List.of(), NOBODY);
        assertThat(sent(outgoing)).containsExactly(3L, 4L, 5L);
        // Counted from the beginning of the second connection.
        outgoing.confirm(1);
        outgoing.restart(List.of(), NOBODY);
        assertThat(sent(outgoing)).containsExactly(4L, 5L);
        outgoing.confirm(Long.MAX_VALUE);
        outgoing.restart(List.of(), NOBODY);
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
        outgoing.restart(List.of(), NOBODY);
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
        outgoing.restart(List.of(new ClientMessage.Load("p", 0.5)), NOBODY);
        List<ClientMessage> told = new ArrayList<>();
        ClientMessage.read(outgoing.next(() -> true), told::add);
        assertThat(told.get(0)).isEqualTo(new ClientMessage.Load("p", 0.5));
        assertThat(told.get(1)).isEqualTo(new ClientMessage.Lost("p", dropped));
        assertThat(((ClientMessage.Publish) told.get(2)).measurement().sequence()).isEqualTo(dropped + 1);
        assertThat(outgoing.numbers()).containsEntry("sent", 12 - dropped).containsEntry("unsent", dropped);
        // The next mediator is told again, unless this one has confirmed it as the first of all.
        outgoing.restart(List.of(), NOBODY);
        told.clear();
        ClientMessage.read(outgoing.next(() -> true), told::add);
        assertThat(told.getFirst()).isEqualTo(new ClientMessage.Lost("p", dropped));
        outgoing.confirm(1);
        outgoing.restart(List.of(), NOBODY);
        assertThat(sent(outgoing)).startsWith(dropped + 1);
    }
}
