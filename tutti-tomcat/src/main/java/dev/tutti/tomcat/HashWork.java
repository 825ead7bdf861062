package dev.tutti.tomcat;

import java.io.InvalidClassException;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What it takes to hash the collections of one graph of objects, counted before it is done.
 *
 * <p>A collection's hash is that of all that is in it, and none remembers its own: forty sets, each of which is twice in
 * the next, are a few hundred bytes and a trillion steps ("SerialDOS", Coekaerts, 2015). Whoever reads a hashed collection
 * hashes what is in it, so that a filter of classes does not help.
 *
 * <p>Where nothing is shared, a collection has no more in it, at whatever depth, than was read. So much is always allowed,
 * and some sharing.
 */
final class HashWork {

    /** How often all that was read may be in one collection. */
    static final int SHARING_MAX = 4;

    /** So much may be in a collection, whatever was read. */
    static final int STEPS_MIN = 1_000;

    /** By collection, what is in it at all depths. */
    private final IdentityHashMap<Object, Long> stepsOf = new IdentityHashMap<>();

    private long entries;

    /**
     * A collection or a map was read, and may be hashed next; what is in it was noted before.
     *
     * @throws InvalidClassException if that would take too long
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
