package dev.tutti.blocks.map;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ReplicatedMap} whose changes are made by all members in one order, each against the same entries, so that
 * they can depend on these. A change is executed once or not at all; it returns when it was executed at this member.
 *
 * <p>Reads are local. They see every change that has returned here and may be behind others; after {@link #sync} they
 * see every one that had returned to any member before.
 *
 * <p><b>Partition.</b> Each side has an order of its own, and changes of two sides under one key meet at the merge:
 * {@code putIfAbsent} succeeds once per side; {@link MapBuilder#onlyInPrimary} prevents that. A change that has
 * returned may be lost if its member crashes at that moment; with {@code total.delivery: safe} it is at all members
 * first.
 *
 * <p>Bounds are exact. Methods that wait throw {@link MapException}.
 */
public interface TotalOrderMap<K, V> extends ReplicatedMap<K, V> {

    /** Writes; returns the previous value. */
    @Nullable V getAndPut(K key, V value);

    /** Removes; returns the previous value. */
    @Nullable V getAndRemove(K key);

    /** Writes if there is no entry; returns the present value, null if there was none. */
    @Nullable V putIfAbsent(K key, V value);

    /** Writes if there is an entry; returns its previous value, null if there was none. */
    @Nullable V replace(K key, V value);

    /** Writes if the value is {@code expected}, compared by {@code equals}, or for arrays by their elements. */
    boolean replace(K key, V expected, V value);

    /** Removes if the value is {@code expected}. */
    boolean remove(K key, V expected);

    /**
     * Writes the result of a function of the present value, or removes the entry; again and again until nobody has
     * changed it meanwhile, {@value #TRIES_MAX} times at most.
     *
     * @param function gets null if there is no entry, and returns null to remove it. Runs on the calling thread, maybe
     *     several times
     * @return the new value
     * @throws MapException as {@link MapException.Reason#CONTENDED} if others were faster each time
     */
    @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

    /** Waits until this member has all changes that had returned to any member before this call. */
    void sync();

    /** Maximum number of attempts of {@link #compute}. */
    int TRIES_MAX = 100;
}
