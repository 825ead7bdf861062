package dev.tutti.grid.match;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Branches by their levels: a hash table that is read while one writer changes it. A branch is found by a part of a topic, without
 * making a string of it, and with fewer steps through memory than a map takes, which are most of the time of a search among many
 * filters.
 */
abstract class Fork<T> {

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    /** Takes the place of a branch that was removed, so that readers look further. */
    private static final Object REMOVED = new Object();

    private static final int SLOTS_MIN = 2;

    /** Slots of all that have no branches. */
    private static final Object[] NONE = new Object[1];

    private volatile Object[] slots = NONE;
    private int branches;

    /** Slots that are not null. */
    private int used;

    /** Returns the branch for a part of a text, which would have this hash as a string; null if there is none. */
    final @Nullable Branch<T> named(String text, int from, int end, int hash) {
        Object[] all = slots;
        int mask = all.length - 1;
        for (int i = place(hash) & mask; ; i = i + 1 & mask) {
            Object each = SLOT.getAcquire(all, i);
            if (each == null) {
                return null;
            }
            if (each != REMOVED && branch(each).is(text, from, end, hash)) {
                return branch(each);
            }
        }
    }

    final @Nullable Branch<T> named(String level) {
        return named(level, 0, level.length(), level.hashCode());
    }

    /** Adds a branch whose level is not there yet. */
    final void addNamed(Branch<T> branch) {
        // A quarter of the slots stays empty, so that searches end soon. NONE is full for this purpose.
        if (used + 1 > slots.length * 3 / 4) {
            resize();
        }
        put(slots, branch);
        used++;
        branches++;
    }

    private void resize() {
        int length = SLOTS_MIN;
        while (branches + 1 > length / 2) {
            length *= 2;
        }
        Object[] next = new Object[length];
        forEachNamed(branch -> put(next, branch));
        used = branches;
        slots = next;
    }

    private static void put(Object[] slots, Branch<?> branch) {
        int mask = slots.length - 1;
        int i = place(branch.hash()) & mask;
        while (slots[i] != null) {
            i = i + 1 & mask;
        }
        SLOT.setRelease(slots, i, branch);
    }

    /** Removes a branch that is there. */
    final void removeNamed(Branch<T> branch) {
        Object[] all = slots;
        int mask = all.length - 1;
        int i = place(branch.hash()) & mask;
        while (all[i] != branch) {
            i = i + 1 & mask;
        }
        SLOT.setRelease(all, i, REMOVED);
        branches--;
        if (branches == 0) {
            slots = NONE;
            used = 0;
        }
    }

    final boolean hasNamed() {
        return branches > 0;
    }

    /** Gives all branches, in no order. */
    final void forEachNamed(Consumer<Branch<T>> consumer) {
        Object[] all = slots;
        for (int i = 0; i < all.length; i++) {
            Object each = SLOT.getAcquire(all, i);
            if (each != null && each != REMOVED) {
                consumer.accept(branch(each));
            }
        }
    }

    /** Returns bits that differ where hashes of similar strings, such as web1 and web2, do not. */
    private static int place(int hash) {
        int mixed = hash * 0x9E37_79B9;
        return mixed ^ mixed >>> 15;
    }

    @SuppressWarnings("unchecked")
    private Branch<T> branch(Object slot) {
        return (Branch<T>) slot;
    }
}
