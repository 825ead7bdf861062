package dev.tutti.bench.process;

import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.systems.Content;
import dev.tutti.bench.systems.GroupSystem.Listener;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Verifies everything that a member receives, sender by sender and thread by thread. */
abstract class Receipts implements Listener {

    /** First phase whose messages are answered, see {@link #onPing}; those of lower phases are measured. */
    static final int PING = 1 << 20;

    static final int PONG = PING + 1;

    /** Interval at which a message, ends not counted, is lost on purpose, to test that this is noticed; 0 for never. */
    private static final int LOSS_INTERVAL = Integer.getInteger("bench.lose", 0);

    /** By rank and thread. The thread that delivers a sender's messages makes room for the sender's threads. */
    private final Flow[][] flows;

    private final Semaphore ended = new Semaphore(0);
    private final AtomicLong endedAtNanos = new AtomicLong();
    private volatile long pauseNanos;
    private int untilLoss = LOSS_INTERVAL;

    Receipts(int members) {
        flows = new Flow[members][];
        for (int rank = 0; rank < members; rank++) {
            flows[rank] = new Flow[] {new Flow()};
        }
    }

    /** Called with a message of phase {@link #PING} or {@link #PONG} from {@code rank}. */
    abstract void onPing(int rank, int phase);

    @Override
    public final void onMessage(byte[] bytes, int offset, int length) {
        if (length < Content.BYTES_MIN) {
            if (isLost()) {
                return;
            }
            flow(Content.smallRank(bytes[offset]), 0)
                    .onSmallMessage(
                            Content.smallNumber(bytes, offset, length),
                            Content.smallMask(length),
                            Content.sum(bytes, offset, length));
            return;
        }
        int sender = (int) Content.ARRAY_INT.get(bytes, offset + Content.SENDER);
        int phase = (int) Content.ARRAY_INT.get(bytes, offset + Content.PHASE);
        if (phase < 0) {
            onEnd(
                    sender,
                    ~phase,
                    (long) Content.ARRAY_LONG.get(bytes, offset + Content.COUNT),
                    (long) Content.ARRAY_LONG.get(bytes, offset + Content.SUM));
            return;
        }
        received(
                sender,
                phase,
                (long) Content.ARRAY_LONG.get(bytes, offset + Content.NUMBER),
                (long) Content.ARRAY_LONG.get(bytes, offset + Content.TIME),
                Content.sum(bytes, offset, length));
    }

    @Override
    public final void onMessage(ByteBuffer bytes, int offset, int length) {
        if (length < Content.BYTES_MIN) {
            if (isLost()) {
                return;
            }
            flow(Content.smallRank(bytes.get(offset)), 0)
                    .onSmallMessage(
                            Content.smallNumber(bytes, offset, length),
                            Content.smallMask(length),
                            Content.sum(bytes, offset, length));
            return;
        }
        int sender = (int) Content.BUFFER_INT.get(bytes, offset + Content.SENDER);
        int phase = (int) Content.BUFFER_INT.get(bytes, offset + Content.PHASE);
        if (phase < 0) {
            onEnd(
                    sender,
                    ~phase,
                    (long) Content.BUFFER_LONG.get(bytes, offset + Content.COUNT),
                    (long) Content.BUFFER_LONG.get(bytes, offset + Content.SUM));
            return;
        }
        received(
                sender,
                phase,
                (long) Content.BUFFER_LONG.get(bytes, offset + Content.NUMBER),
                (long) Content.BUFFER_LONG.get(bytes, offset + Content.TIME),
                Content.sum(bytes, offset, length));
    }

    private boolean isLost() {
        if (LOSS_INTERVAL == 0 || --untilLoss > 0) {
            return false;
        }
        untilLoss = LOSS_INTERVAL;
        return true;
    }

    private Flow flow(int rank, int thread) {
        Flow[] threads = flows[rank];
        if (thread >= threads.length) {
            threads = Arrays.copyOf(threads, thread + 1);
            for (int index = flows[rank].length; index <= thread; index++) {
                threads[index] = new Flow();
            }
            flows[rank] = threads;
        }
        return threads[thread];
    }

    private void received(int sender, int phase, long number, long sentAtNanos, long sum) {
        int rank = Content.rank(sender);
        if (phase >= PING) {
            onPing(rank, phase);
            return;
        }
        Flow flow = flow(rank, Content.thread(sender));
        if (number == Content.BEGINNING) {
            flow.begin(phase);
            return;
        }
        if (isLost()) {
            return;
        }
        flow.onMessage(phase, number, sum);
        if (sentAtNanos != 0) {
            flow.onTime(System.nanoTime() - sentAtNanos);
        }
        long pause = pauseNanos;
        if (pause > 0) {
            LockSupport.parkNanos(pause);
        }
    }

    private void onEnd(int sender, int phase, long count, long sum) {
        flow(Content.rank(sender), Content.thread(sender)).onEnd(phase, count, sum);
        long now = System.nanoTime();
        endedAtNanos.accumulateAndGet(now, Math::max);
        ended.release();
    }

    /** Makes the consumption of each message take this much longer from now on. */
    void pauseAfterEach(long nanos) {
        pauseNanos = nanos;
    }

    /** Returns a semaphore with a permit for each thread of each sender whose phase is over and checked. */
    Semaphore ended() {
        return ended;
    }

    /** Returns the time at which the last end arrived. */
    long endedAtNanos() {
        return endedAtNanos.get();
    }

    /** Returns the messages from all threads of a sender in its latest phase; an estimate while a phase runs. */
    long received(int rank) {
        Flow[] threads = flows[rank];
        int phase = 0;
        for (Flow flow : threads) {
            phase = Math.max(phase, flow.phase());
        }
        long count = 0;
        for (Flow flow : threads) {
            count += flow.phase() == phase ? flow.count() : 0;
        }
        return count;
    }

    /** Returns the times of the last phase's messages from other members. */
    Histogram times(int ownRank) {
        Histogram times = Latencies.histogram();
        for (int rank = 0; rank < flows.length; rank++) {
            for (Flow flow : flows[rank]) {
                Histogram some = flow.times();
                if (some != null && rank != ownRank) {
                    times.add(some);
                }
            }
        }
        return times;
    }

    /** Returns the first fault of the phase; null if all messages have arrived, in order and unchanged. */
    @Nullable String fault() {
        for (int rank = 0; rank < flows.length; rank++) {
            for (Flow flow : flows[rank]) {
                String fault = flow.fault();
                if (fault != null) {
                    return "from m" + rank + ": " + fault;
                }
            }
        }
        return null;
    }
}
