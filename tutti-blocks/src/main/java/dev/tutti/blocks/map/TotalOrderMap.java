package dev.tutti.blocks.map;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ReplicatedMap} whose changes all members make in one order, each against the same entries, so that they can depend
 * on what is there. A change is executed once or not at all; it returns when it was executed at this member.
 *
 * <p>Reads are local. They see what was told to this member and may be behind others; after {@link #sync} they see
 * everything that was told to anybody before.
 *
 * <p><b>Partition.</b> Each side has an order of its own, and what two sides have done under one key meets at the merge: {@code
 * putIfAbsent} succeeds once per side; {@link MapBuilder#onlyInPrimary} is for where that must not be. What a member was told may
 * be lost with it if it crashes in the same moment; with {@code total.delivery: safe} it is at all members first.
 *
 * <p>Bounds are exact. Methods that wait throw {@link MapException}.
 */
public interface TotalOrderMap<K, V> extends ReplicatedMap<K, V> {

    /** Writes; returns what was there before. */
    @Nullable V getAndPut(K key, V value);

    /** Removes; returns what was there before. */
    @Nullable V getAndRemove(K key);

    /** Writes if there is no entry; returns the value that is there already, null if there was none. */
    @Nullable V putIfAbsent(K key, V value);

    /** Writes if there is an entry; returns its value before, null if there was none. */
    @Nullable V replace(K key, V value);

    /** Writes if the value is {@code expected}, by {@code equals}, or of arrays by their elements. */
    boolean replace(K key, V expected, V value);

    /** Removes if the value is {@code expected}. */
    boolean remove(K key, V expected);

    /**
     * Writes what a function makes of the present value, or removes the entry; again and again until nobody has changed it
     * meanwhile, {@value #TRIES_MAX} times at most.
     *
     * @param function gets null if there is no entry; null is for none. Runs on the calling thread, may run several times
     * @return what is there now
     * @throws MapException as {@link MapException.Reason#CONTENDED} if others have always been faster
     */
    @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

    /** Waits until this member has all changes that were told to anybody before this call. */
    void sync();

    /** How often {@link #compute} tries. */
    int TRIES_MAX = 100;
}
