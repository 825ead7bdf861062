package dev.tutti.protocols.link;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Map with int keys that are not boxed, since it is read once or twice per frame. Deliberately without iteration. */
public final class IntMap<V> {

    /** Initial number of slots: small, since there are many maps, most of them with one or two entries. */
    private static final int SLOTS_MIN = 2;

    private int[] keys = new int[SLOTS_MIN];
    private @Nullable Object[] values = new Object[SLOTS_MIN];
    private int size;

    public int size() {
        return size;
    }

    @SuppressWarnings("unchecked") // Only put writes values.
    public @Nullable V get(int key) {
        return (V) values[find(key)];
    }

    public void put(int key, V value) {
        if (values.length < (size + 1) * 2) {
            grow();
        }
        int slot = find(key);
        if (values[slot] == null) {
            size++;
        }
        keys[slot] = key;
        values[slot] = value;
    }

    /** Removes a key. Linear probing without tombstones: entries that the hole would make unreachable move into it. */
    public @Nullable V remove(int key) {
        int hole = find(key);
        @SuppressWarnings("unchecked") // Only put writes values.
        V removed = (V) values[hole];
        if (removed == null) {
            return null;
        }
        size--;
        int mask = values.length - 1;
        values[hole] = null;
        for (int slot = (hole + 1) & mask; values[slot] != null; slot = (slot + 1) & mask) {
            int home = home(keys[slot], mask);
            if (((slot - home) & mask) >= ((slot - hole) & mask)) {
                keys[hole] = keys[slot];
                values[hole] = values[slot];
                values[slot] = null;
                hole = slot;
            }
        }
        return removed;
    }

    public void clear() {
        Arrays.fill(values, null);
        size = 0;
    }

    private int find(int key) {
        int mask = values.length - 1;
        int slot = home(key, mask);
        while (values[slot] != null && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        int[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new int[oldKeys.length * 2];
        values = new Object[oldKeys.length * 2];
        for (int slot = 0; slot < oldKeys.length; slot++) {
            if (oldValues[slot] != null) {
                int free = find(oldKeys[slot]);
                keys[free] = oldKeys[slot];
                values[free] = oldValues[slot];
            }
        }
    }

    private static int home(int key, int mask) {
        int mixed = key * 0x9E3779B9;
        return (mixed ^ (mixed >>> 16)) & mask;
    }
}
