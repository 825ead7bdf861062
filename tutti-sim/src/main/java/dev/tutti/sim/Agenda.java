package dev.tutti.sim;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is to happen, by (time, sequence). A simulation of thousands has a hundred thousand events on their way, nearly all
 * within the next tenth of a millisecond; one heap of them all would be what it spends most of its time with.
 *
 * <p>So only what comes within the present microsecond is kept in order. What comes in the next milliseconds waits unsorted,
 * by microsecond, on a wheel (Varghese and Lauck, 1987), and is put in order when its microsecond has come. What was added
 * for later than that is in a heap of its own; it is mostly timers, which are few.
 */
final class Agenda {

    /** Nanoseconds in a tick, as a power of two. */
    private static final int TICK_SHIFT = 10;

    /** Ticks on the wheel. */
    private static final int TICKS = 4_096;

    private static final int WORD = Long.SIZE;

    /** The events of one tick, in the order in which they were added. */
    private static final class Events {
        private long[] times = new long[16];
        private long[] sequences = new long[16];
        private @Nullable Runnable[] actions = new Runnable[16];
        private int size;

        void add(long timeNanos, long sequence, Runnable action) {
            if (size == times.length) {
                times = Arrays.copyOf(times, 2 * size);
                sequences = Arrays.copyOf(sequences, 2 * size);
                actions = Arrays.copyOf(actions, 2 * size);
            }
            times[size] = timeNanos;
            sequences[size] = sequence;
            actions[size] = action;
            size++;
        }

        void moveTo(EventHeap heap) {
            for (int index = 0; index < size; index++) {
                Runnable action = actions[index];
                actions[index] = null;
                if (action != null) {
                    heap.add(times[index], sequences[index], action);
                }
            }
            size = 0;
        }
    }

    /** All up to the end of {@link #tick}. */
    private final EventHeap soon = new EventHeap();

    /** Those of the ticks after {@link #tick}, by tick modulo {@link #TICKS}; null where there are none. */
    private final @Nullable Events[] wheel = new Events[TICKS];

    /** A bit for each tick that has some. */
    private final long[] used = new long[TICKS / WORD];

    /** Emptied, to be used again. */
    private final ArrayDeque<Events> spare = new ArrayDeque<>();

    /** Those that were beyond the wheel when they were added. */
    private final EventHeap far = new EventHeap();

    private long tick;
    private int ticksUsed;
    private long sequence;

    boolean isEmpty() {
        return soon.isEmpty() && ticksUsed == 0 && far.isEmpty();
    }

    /** Time of what comes next; {@link Long#MAX_VALUE} if nothing does. */
    long nextNanos() {
        turn();
        return soon.firstNanos();
    }

    /** After everything that was added for the same time before. */
    void add(long timeNanos, Runnable action) {
        long number = sequence++;
        long due = timeNanos >> TICK_SHIFT;
        if (due <= tick) {
            soon.add(timeNanos, number, action);
        } else if (due - tick < TICKS) {
            int index = (int) (due & (TICKS - 1));
            Events events = wheel[index];
            if (events == null) {
                events = spare.isEmpty() ? new Events() : spare.pop();
                wheel[index] = events;
                used[index / WORD] |= 1L << index;
                ticksUsed++;
            }
            events.add(timeNanos, number, action);
        } else {
            far.add(timeNanos, number, action);
        }
    }

    /** Takes what comes next; its time is what {@link #nextNanos} said. */
    Runnable take() {
        turn();
        return soon.take();
    }

    /** Puts the next tick that has anything in order, if there is nothing left of the present one. */
    private void turn() {
        if (!soon.isEmpty() || ticksUsed == 0 && far.isEmpty()) {
            return;
        }
        long onWheel = ticksUsed == 0 ? Long.MAX_VALUE : nextOnWheel();
        long beyond = far.isEmpty() ? Long.MAX_VALUE : far.firstNanos() >> TICK_SHIFT;
        tick = Math.min(onWheel, beyond);
        if (onWheel == tick) {
            int index = (int) (tick & (TICKS - 1));
            Events events = wheel[index];
            if (events != null) {
                events.moveTo(soon);
                spare.push(events);
            }
            wheel[index] = null;
            used[index / WORD] &= ~(1L << index);
            ticksUsed--;
        }
        while (!far.isEmpty() && far.firstNanos() >> TICK_SHIFT <= tick) {
            soon.add(far.firstNanos(), far.firstSequence(), far.take());
        }
    }

    /** The first tick after the present one that has any. */
    private long nextOnWheel() {
        int start = (int) ((tick + 1) & (TICKS - 1));
        int word = start / WORD;
        long bits = used[word] & -1L << start;
        while (bits == 0) {
            word = (word + 1) % used.length;
            bits = used[word];
        }
        int index = word * WORD + Long.numberOfTrailingZeros(bits);
        return tick + 1 + ((index - start) & (TICKS - 1));
    }
}
