package dev.tutti.blocks.internal.calls;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * This member's calls that are not over, by number. There is no lock: a call's number determines its slot, and a thread
 * that finds a slot taken by an old call takes the next number. At least half of the slots are free, so this is rare.
 */
public final class OpenCalls<C extends OpenCalls.Numbered> {

    /** A call, which keeps the number that it is given. */
    public interface Numbered {

        long number();

        void number(long given);
    }

    private final int callsMax;
    private final int mask;
    private final AtomicReferenceArray<@Nullable C> slots;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger size = new AtomicInteger();

    public OpenCalls(int callsMax) {
        this.callsMax = callsMax;
        int capacity = Integer.highestOneBit(Math.max(2, 2 * callsMax - 1)) << 1;
        mask = capacity - 1;
        slots = new AtomicReferenceArray<>(capacity);
    }

    /** Assigns a number to {@code call} and keeps it; returns false if there are too many. */
    public boolean add(C call) {
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

    public @Nullable C find(long number) {
        C found = slots.get((int) number & mask);
        return found != null && found.number() == number ? found : null;
    }

    public void remove(C call) {
        if (slots.compareAndSet((int) call.number() & mask, call, null)) {
            size.decrementAndGet();
        }
    }

    public int size() {
        return size.get();
    }

    public void forEach(Consumer<? super C> action) {
        if (size.get() == 0) {
            return;
        }
        for (int slot = 0; slot <= mask; slot++) {
            C call = slots.get(slot);
            if (call != null) {
                action.accept(call);
            }
        }
    }
}
