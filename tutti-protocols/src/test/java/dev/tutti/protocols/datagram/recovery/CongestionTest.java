package dev.tutti.protocols.datagram.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate over a modelled line of 12.5 MB/s and 80 ms round trip. */
class CongestionTest {

    private static final long MILLI = 1_000_000;
    private static final int DATAGRAM_BYTES = 1_400;
    private static final double NANOS_PER_BYTE = 80;
    private static final long ROUND_TRIP_NANOS = 80 * MILLI;
    private static final long QUEUE_NANOS = 100 * MILLI;

    /** Datagram under way, with what the sender noted. */
    private record Sent(
            long answeredNanos, boolean isLost, long priorBytes, long priorNanos, long priorFirstSentNanos, long sentNanos) {}

    private final Congestion congestion = new Congestion(10 * DATAGRAM_BYTES);
    private final ArrayDeque<Sent> underWay = new ArrayDeque<>();
    private long freeNanos;
    private long delivered;

    /** A busy machine wakes a sender some milliseconds late, for its timers and for what arrives. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 8})
    void lateTimersCostNoRateOnALongLine(int lateMillis) {
        run(0, 10_000, lateMillis);
        long before = delivered;
        run(10_000, 20_000, lateMillis);
        double share = (delivered - before) * NANOS_PER_BYTE / (10_000 * MILLI);
        assertThat(share).isBetween(0.9, 1.01);
    }

    private void run(long fromMillis, long toMillis, int stepMillis) {
        for (long millis = fromMillis; millis < toMillis; millis += stepMillis) {
            long now = millis * MILLI;
            takeAnswers(now);
            while ((underWay.isEmpty() || congestion.nextSendNanos() <= now)
                    && (long) underWay.size() * DATAGRAM_BYTES < congestion.windowBytes(DATAGRAM_BYTES)) {
                send(now);
            }
        }
    }

    private void takeAnswers(long now) {
        while (!underWay.isEmpty() && underWay.getFirst().answeredNanos() <= now) {
            Sent sent = underWay.removeFirst();
            if (sent.isLost()) {
                congestion.onLost();
                continue;
            }
            delivered += DATAGRAM_BYTES;
            congestion.onDelivered(
                    DATAGRAM_BYTES, sent.priorBytes(), sent.priorNanos(), sent.priorFirstSentNanos(), sent.sentNanos(), false, now);
            congestion.onRoundTrip(now - sent.sentNanos(), now);
            congestion.onAckEnd((long) underWay.size() * DATAGRAM_BYTES, now);
        }
    }

    private void send(long now) {
        congestion.onSent(DATAGRAM_BYTES, (long) underWay.size() * DATAGRAM_BYTES, now);
        boolean isLost = freeNanos - now > QUEUE_NANOS;
        if (!isLost) {
            freeNanos = Math.max(freeNanos, now) + (long) (DATAGRAM_BYTES * NANOS_PER_BYTE);
        }
        underWay.add(new Sent(
                Math.max(freeNanos, now) + ROUND_TRIP_NANOS,
                isLost,
                congestion.deliveredBytes(),
                congestion.deliveredNanos(),
                congestion.firstSentNanos(),
                now));
    }
}
