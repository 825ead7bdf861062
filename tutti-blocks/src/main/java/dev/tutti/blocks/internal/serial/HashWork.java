package dev.tutti.blocks.internal.serial;

import java.io.InvalidClassException;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Work of hashing the collections of one object graph, computed before anything is hashed.
 *
 * <p>The hash of a collection covers its elements at every depth, and is not cached: forty sets, each contained twice
 * in the next, take a few hundred bytes and a trillion steps ("SerialDOS", Coekaerts, 2015). Reading a hashed
 * collection hashes its elements, so a filter of classes does not help.
 *
 * <p>In a graph without sharing, no collection contains more elements, at all depths, than were read. That much is
 * always allowed, and a bounded amount of sharing.
 */
final class HashWork {

    /** Number of steps allowed per element that was read. */
    static final int SHARING_MAX = 4;

    /** Number of steps that are allowed whatever was read. */
    static final int STEPS_MIN = 1_000;

    /** Number of steps to hash each collection, with its elements at all depths. */
    private final IdentityHashMap<Object, Long> stepsOf = new IdentityHashMap<>();

    private long entries;

    /**
     * Notes that a collection, map or entry was read and may be hashed next. Its elements must have been noted before.
     *
     * @throws InvalidClassException if hashing it would take too long
     */
    void note(Object read) throws InvalidClassException {
        long steps = 1;
        if (read instanceof Collection<?> collection) {
            for (Object element : collection) {
                entries++;
                steps += stepsOf(element);
            }
        } else if (read instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                entries += 2;
                steps += stepsOf(entry.getKey()) + stepsOf(entry.getValue());
            }
        } else if (read instanceof Map.Entry<?, ?> entry) {
            entries += 2;
            steps += stepsOf(entry.getKey()) + stepsOf(entry.getValue());
        } else {
            return;
        }
        if (steps > STEPS_MIN + SHARING_MAX * entries) {
            throw new InvalidClassException("collections are in each other so often that to hash them takes " + steps
                    + " steps, with " + entries + " elements in all");
        }
        stepsOf.put(read, steps);
    }

    private long stepsOf(Object element) {
        return stepsOf.getOrDefault(element, 1L);
    }
}
