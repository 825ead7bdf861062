package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Listener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Verifies everything that a member receives, sender by sender. */
abstract class Receipts implements Listener {

    /** Phases below are measured; this one is answered, see {@link #onPing}. */
    static final int PING = 1 << 20;

    static final int PONG = PING + 1;

    private final Flow[] flows;
    private final Semaphore ended = new Semaphore(0);
    private final AtomicLong endedAtNanos = new AtomicLong();
    private volatile long pauseNanos;

    Receipts(int members) {
        flows = new Flow[members];
        for (int rank = 0; rank < members; rank++) {
            flows[rank] = new Flow();
        }
    }

    /** A message of phase {@link #PING} or {@link #PONG}, of which {@code rank} is the sender. */
    abstract void onPing(int rank, int phase);

    @Override
    public final void onMessage(byte[] bytes, int offset, int length) {
        int rank = (int) Content.ARRAY_INT.get(bytes, offset + Content.RANK);
        int phase = (int) Content.ARRAY_INT.get(bytes, offset + Content.PHASE);
        if (phase < 0) {
            onEnd(
                    rank,
                    ~phase,
                    (long) Content.ARRAY_LONG.get(bytes, offset + Content.COUNT),
                    (long) Content.ARRAY_LONG.get(bytes, offset + Content.SUM));
            return;
        }
        received(
                rank,
                phase,
                (long) Content.ARRAY_LONG.get(bytes, offset + Content.NUMBER),
                (long) Content.ARRAY_LONG.get(bytes, offset + Content.TIME),
                Content.sum(bytes, offset, length));
    }

    @Override
    public final void onMessage(ByteBuffer bytes, int offset, int length) {
        int rank = (int) Content.BUFFER_INT.get(bytes, offset + Content.RANK);
        int phase = (int) Content.BUFFER_INT.get(bytes, offset + Content.PHASE);
        if (phase < 0) {
            onEnd(
                    rank,
                    ~phase,
                    (long) Content.BUFFER_LONG.get(bytes, offset + Content.COUNT),
                    (long) Content.BUFFER_LONG.get(bytes, offset + Content.SUM));
            return;
        }
        received(
                rank,
                phase,
                (long) Content.BUFFER_LONG.get(bytes, offset + Content.NUMBER),
                (long) Content.BUFFER_LONG.get(bytes, offset + Content.TIME),
                Content.sum(bytes, offset, length));
    }

    private void received(int rank, int phase, long number, long sentAtNanos, long sum) {
        if (phase >= PING) {
            onPing(rank, phase);
            return;
        }
        Flow flow = flows[rank];
        flow.onMessage(phase, number, sum);
        if (sentAtNanos != 0) {
            flow.onSample(System.nanoTime() - sentAtNanos);
        }
        long pause = pauseNanos;
        if (pause > 0) {
            LockSupport.parkNanos(pause);
        }
    }

    private void onEnd(int rank, int phase, long count, long sum) {
        flows[rank].onEnd(phase, count, sum);
        long now = System.nanoTime();
        endedAtNanos.accumulateAndGet(now, Math::max);
        ended.release();
    }

    /** From now on, consuming a message takes so much longer. */
    void pauseAfterEach(long nanos) {
        pauseNanos = nanos;
    }

    /** A permit for each sender whose phase is over and checked. */
    Semaphore ended() {
        return ended;
    }

    /** When the last end came. */
    long endedAtNanos() {
        return endedAtNanos.get();
    }

    long received(int rank) {
        return flows[rank].count();
    }

    /** By sender. */
    List<long[]> samples() {
        List<long[]> samples = new ArrayList<>();
        for (Flow flow : flows) {
            samples.add(flow.samples());
        }
        return samples;
    }

    /** The first fault of the phase; null if everything that was sent has come, in order and whole. */
    @Nullable String fault() {
        for (int rank = 0; rank < flows.length; rank++) {
            String fault = flows[rank].fault();
            if (fault != null) {
                return "from m" + rank + ": " + fault;
            }
        }
        return null;
    }
}
