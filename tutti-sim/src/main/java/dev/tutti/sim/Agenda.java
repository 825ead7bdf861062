package dev.tutti.sim;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Queue of future events, by (time, sequence). A simulation of thousands of nodes has a hundred thousand pending
 * events, nearly all within the next tenth of a millisecond; a single heap of them would take most of its time.
 *
 * <p>So only events within the present microsecond are kept in order. Those of the next milliseconds wait unsorted, by
 * microsecond, on a wheel (Varghese and Lauck, 1987), and are put in order when their microsecond has come. Events
 * beyond that when they were added are in a heap of their own; most of them are timers, which are few.
 */
final class Agenda {

    /** Nanoseconds in a tick, as a power of two. */
    private static final int TICK_SHIFT = 10;

    /** Number of ticks on the wheel. */
    private static final int TICKS = 4_096;

    private static final int WORD = Long.SIZE;

    /** Events of one tick, in the order in which they were added. */
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

    /** Events up to the end of {@link #tick}. */
    private final EventHeap soon = new EventHeap();

    /** Events of the ticks after {@link #tick}, by tick modulo {@link #TICKS}; null where there are none. */
    private final @Nullable Events[] wheel = new Events[TICKS];

    /** A bit for each tick with events. */
    private final long[] used = new long[TICKS / WORD];

    /** Emptied objects, for reuse. */
    private final ArrayDeque<Events> spare = new ArrayDeque<>();

    /** Events that were beyond the wheel when they were added. */
    private final EventHeap far = new EventHeap();

    private long tick;
    private int ticksUsed;
    private long sequence;

    boolean isEmpty() {
        return soon.isEmpty() && ticksUsed == 0 && far.isEmpty();
    }

    /** Returns the time of the next event; {@link Long#MAX_VALUE} if there is none. */
    long nextNanos() {
        turn();
        return soon.firstNanos();
    }

    /** Adds an event, after those added for the same time before. */
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

    /** Takes the next event, whose time is {@link #nextNanos}. */
    Runnable take() {
        turn();
        return soon.take();
    }

    /** Puts the next tick with events in order, if none are left of the present one. */
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

    /** Returns the first tick after the present one that has events. */
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
