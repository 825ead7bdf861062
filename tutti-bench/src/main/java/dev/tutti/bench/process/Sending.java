package dev.tutti.bench.process;

import dev.tutti.bench.systems.Content;
import dev.tutti.bench.systems.GroupSystem;
import java.util.concurrent.Semaphore;

/**
 * One thread's sending in a phase: as fast as the system takes it, or at a fixed rate.
 *
 * <p>At a fixed rate, the time of a message that had to wait for the one before it counts from when it was due, so that
 * a system that stalls can't hide the messages that were not sent meanwhile (coordinated omission). If only the thread
 * woke up late, the time is that of sending, unless it was later than a millisecond.
 */
final class Sending implements Runnable {

    private static final long OVERSLEPT_NANOS_MAX = 1_000_000;

    /** Size from which the clock is read for each message; for smaller ones it is read only now and then. */
    private static final int LARGE_BYTES = 4096;

    private final GroupSystem system;
    private final int rank;
    private final int thread;
    private final int phase;
    private final int bytes;
    private final long began;
    private final long timeNanos;
    private final long intervalNanos;
    private final long countMax;
    private final Semaphore never = new Semaphore(0);
    private long count;
    private long sum;

    /**
     * @param command the values {@code phase}, {@code size}, {@code time}; {@code interval} between two messages, which then
     *     carry their time, or 0; {@code count}, after which it ends
     */
    Sending(GroupSystem system, int rank, int thread, Line command, long began) {
        this.system = system;
        this.rank = rank;
        this.thread = thread;
        this.began = began;
        this.phase = command.count("phase");
        this.bytes = command.count("size");
        this.timeNanos = command.number("time");
        this.intervalNanos = command.number("interval", 0);
        this.countMax = command.number("count", Long.MAX_VALUE);
    }

    @Override
    public void run() {
        if (bytes < Content.BYTES_MIN) {
            sendSmall();
        } else if (intervalNanos > 0) {
            sendAtRate();
        } else {
            sendAll();
        }
        system.multicast(Content.end(rank, thread, phase, count, sum));
    }

    private boolean isOver(long mask) {
        return count >= countMax || (count & mask) == 0 && System.nanoTime() - began >= timeNanos;
    }

    private void sendAll() {
        byte[] message = Content.message(rank, thread, phase, bytes);
        long unchanged = Content.sum(message, 0, bytes);
        long mask = bytes < LARGE_BYTES ? 15 : 0;
        while (!isOver(mask)) {
            Content.ARRAY_LONG.set(message, Content.NUMBER, count);
            system.multicast(message);
            sum += unchanged + count;
            count++;
        }
    }

    private void sendSmall() {
        system.multicast(Content.beginning(rank, phase));
        byte[] message = Content.small(rank, bytes);
        while (!isOver(15)) {
            Content.number(message, rank, count);
            system.multicast(message);
            sum += Content.sum(message, 0, bytes);
            count++;
        }
    }

    private void sendAtRate() {
        byte[] message = Content.message(rank, thread, phase, bytes);
        long unchanged = Content.sum(message, 0, bytes);
        // All messages that are due in the time are sent, however long that takes.
        while (count < countMax && count * intervalNanos < timeNanos) {
            long due = began + count * intervalNanos;
            long left = due - System.nanoTime();
            long time = due;
            if (left > 0) {
                system.await(never, left);
                long now = System.nanoTime();
                time = now - due > OVERSLEPT_NANOS_MAX ? due : now;
            }
            Content.ARRAY_LONG.set(message, Content.TIME, time);
            Content.ARRAY_LONG.set(message, Content.NUMBER, count);
            system.multicast(message);
            sum += unchanged + count + time;
            count++;
        }
    }

    long count() {
        return count;
    }
}
