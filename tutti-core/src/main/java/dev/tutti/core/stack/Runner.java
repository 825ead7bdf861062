package dev.tutti.core.stack;

import dev.tutti.core.Memory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the stacks of one node: events that layers emit wait in one ring until the layer that emitted them has returned.
 *
 * <p>The ring is bounded. Windows bound the events of a turn, so that a full ring is a bug and stops the node.
 */
public final class Runner {

    enum Kind {
        SEND,
        RECEIVE,
        CONSUMED,
        SIGNAL_UP,
        SIGNAL_DOWN
    }

    private record Alarm(long deadlineNanos, long sequence, Stack stack, int layer, int timer) {}

    /** A deadline that is never reached. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int RING_MAX = 1 << 20;
    private static final Comparator<Alarm> EARLIEST =
            Comparator.comparingLong(Alarm::deadlineNanos).thenComparingLong(Alarm::sequence);

    private final Memory memory;
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>(EARLIEST);
    private long alarmSequence;
    private List<Stack> touched = new ArrayList<>();
    private List<Stack> ending = new ArrayList<>();
    private long nowNanos;

    // The ring, one array per field so that nothing is allocated per event.
    private @Nullable Stack[] stacks = new Stack[64];
    private Kind[] kinds = new Kind[64];
    private int[] layers = new int[64];
    private @Nullable Object[] whats = new Object[64];
    private int head;
    private int size;

    public Runner(Memory memory) {
        this.memory = memory;
    }

    public Memory memory() {
        return memory;
    }

    public long nowNanos() {
        return nowNanos;
    }

    /** Freezes the time for the turn. Time does not go back: an earlier one is taken as the latest so far. */
    public void beginTurn(long now) {
        nowNanos = Math.max(nowNanos, now);
    }

    /** Runs all queued events and those that they cause, until none is left. */
    public void runUntilQuiet() {
        runRing();
        while (!touched.isEmpty()) {
            List<Stack> stacksOfTurn = touched;
            touched = ending;
            ending = stacksOfTurn;
            for (int index = 0; index < stacksOfTurn.size(); index++) {
                stacksOfTurn.get(index).endTurn();
                runRing();
            }
            stacksOfTurn.clear();
        }
    }

    /** Calls the layers whose timers are due. */
    public void expire() {
        Alarm alarm = alarms.peek();
        while (alarm != null && alarm.deadlineNanos() <= nowNanos) {
            alarms.poll();
            alarm.stack().expire(alarm.layer(), alarm.timer(), alarm.deadlineNanos());
            runRing();
            alarm = alarms.peek();
        }
    }

    /** Returns the time at which {@link #expire} may have something to do. */
    public long nextDeadline() {
        Alarm alarm = alarms.peek();
        return alarm == null ? NEVER : alarm.deadlineNanos();
    }

    void schedule(Stack stack, int layer, int timer, long deadlineNanos) {
        alarms.add(new Alarm(deadlineNanos, alarmSequence++, stack, layer, timer));
    }

    void touched(Stack stack) {
        touched.add(stack);
    }

    void add(Stack stack, Kind kind, int layer, Object what) {
        if (size == kinds.length) {
            grow();
        }
        int slot = (head + size) & (kinds.length - 1);
        stacks[slot] = stack;
        kinds[slot] = kind;
        layers[slot] = layer;
        whats[slot] = what;
        size++;
    }

    private void runRing() {
        while (size > 0) {
            int slot = head;
            Stack stack = stacks[slot];
            Object what = whats[slot];
            if (stack == null || what == null) {
                throw new IllegalStateException("empty slot " + slot + " in the ring");
            }
            stacks[slot] = null;
            whats[slot] = null;
            head = (head + 1) & (kinds.length - 1);
            size--;
            stack.run(kinds[slot], layers[slot], what);
        }
    }

    private void grow() {
        int length = kinds.length;
        if (length >= RING_MAX) {
            throw new IllegalStateException("a turn has emitted " + size + " events, at most " + RING_MAX);
        }
        @Nullable Stack[] largerStacks = new Stack[length * 2];
        Kind[] largerKinds = new Kind[length * 2];
        int[] largerLayers = new int[length * 2];
        @Nullable Object[] largerWhats = new Object[length * 2];
        for (int index = 0; index < size; index++) {
            int slot = (head + index) & (length - 1);
            largerStacks[index] = stacks[slot];
            largerKinds[index] = kinds[slot];
            largerLayers[index] = layers[slot];
            largerWhats[index] = whats[slot];
        }
        stacks = largerStacks;
        kinds = largerKinds;
        layers = largerLayers;
        whats = largerWhats;
        head = 0;
    }
}
