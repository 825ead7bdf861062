package dev.tutti.blocks.calls;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * This member's calls that are not over, by number. There is no lock: a call's number determines its slot, and a thread
 * that finds a slot taken by an old call takes the next number. At least half of the slots are free, so this is rare.
 */
final class OpenCalls {

    private final int callsMax;
    private final int mask;
    private final AtomicReferenceArray<@Nullable OpenCall<?>> slots;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger size = new AtomicInteger();

    OpenCalls(int callsMax) {
        this.callsMax = callsMax;
        int capacity = Integer.highestOneBit(Math.max(2, 2 * callsMax - 1)) << 1;
        mask = capacity - 1;
        slots = new AtomicReferenceArray<>(capacity);
    }

    /** Assigns a number to {@code call} and keeps it; returns false if there are too many. */
    boolean add(OpenCall<?> call) {
        if (size.incrementAndGet() > callsMax) {
            size.decrementAndGet();
            return false;
        }
        long number;
        do {
            number = numbers.incrementAndGet();
            call.number(number);
        } while (!slots.compareAndSet((int) number & mask, null, call));
        return true;
    }

    @Nullable OpenCall<?> find(long number) {
        OpenCall<?> found = slots.get((int) number & mask);
        return found != null && found.number() == number ? found : null;
    }

    void remove(OpenCall<?> call) {
        if (slots.compareAndSet((int) call.number() & mask, call, null)) {
            size.decrementAndGet();
        }
    }

    int size() {
        return size.get();
    }

    void forEach(Consumer<? super OpenCall<?>> action) {
        if (size.get() == 0) {
            return;
        }
        for (int slot = 0; slot <= mask; slot++) {
            OpenCall<?> call = slots.get(slot);
            if (call != null) {
                action.accept(call);
            }
        }
    }
}
