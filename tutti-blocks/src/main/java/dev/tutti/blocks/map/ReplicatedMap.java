package dev.tutti.blocks.map;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A map that all members of a group have, each in its own memory. It has a group to itself.
 *
 * <p><b>Reads</b> are local and wait for nothing. <b>Writes</b> are multicasts: they return when they are in this
 * member's map, and reach the others in a moment, as long as this member is in the view. A newcomer has the whole map
 * before its first view is reported.
 *
 * <p>There are two forms. {@link MapBuilder#lastWriter}: of two writes that do not know of each other one stands, the
 * same at all members; nobody waits for another member. {@link MapBuilder#totalOrder}: all members make all changes in
 * one order, and changes can depend on present entries ({@link TotalOrderMap}).
 *
 * <p><b>Partition.</b> Each side continues with all its entries. <b>Merge.</b> The map of the largest side (or as
 * {@link MapBuilder#merge} says) goes on at all members, and entries of the others are brought in by the rule, a moment
 * later. Unless the rule is a user's function, nothing written after the merge is overruled by earlier writes.
 *
 * <p><b>Time to live.</b> One member measures it, the oldest of the view, from when it has received the entry, and
 * multicasts the expired ones. So an entry is there for all or for nobody, and clocks are never compared; it lives for
 * its time and the delay of the message, longer when the oldest member changes or is stopped.
 *
 * <p>Keys and values are shared with the readers of this process and must not be changed. All methods may be called
 * from any thread. Listeners of groups, of this map's group, too, must not call those that wait: there are asynchronous
 * ones, whose stages run on the group's thread and must not wait either.
 */
public interface ReplicatedMap<K, V> extends AutoCloseable {

    /**
     * Returns a builder on a group that is still to be joined. The group is the map's own: its listeners, its state and
     * its order are set here.
     *
     * @param keys compared by {@code equals}
     */
    static <K, V> MapBuilder<K, V> on(GroupBuilder group, Codec<K> keys, Codec<V> values) {
        return new MapBuilder<>(group, keys, values);
    }

    /** Returns the present value at this member; null if there is none. */
    @Nullable V get(K key);

    default boolean containsKey(K key) {
        return get(key) != null;
    }

    int size();

    /** Returns the encoded size of keys and values of the present entries. */
    long bytes();

    /** Returns a copy of all entries between two changes at this member; takes time in proportion to their number. */
    MapSnapshot<K, V> snapshot();

    /** Returns the keys of a {@link #snapshot}, from the first written to the last; unmodifiable. */
    default Set<K> keySet() {
        return snapshot().entries().keySet();
    }

    /** Calls {@code action} with each entry of a {@link #snapshot}, on the caller's thread; it may write to this map. */
    default void forEach(BiConsumer<? super K, ? super V> action) {
        snapshot().entries().forEach(Arguments.required(action, "forEach: the action"));
    }

    /**
     * Returns the entries of a {@link #snapshot} that {@code isWanted} accepts, from the first written to the last. Every member has the whole map,
     * so nobody else is asked. Takes time in proportion to the number of all entries.
     */
    default Map<K, V> matching(BiPredicate<? super K, ? super V> isWanted) {
        Arguments.required(isWanted, "matching: the predicate");
        Map<K, V> found = new LinkedHashMap<>();
        forEach((key, value) -> {
            if (isWanted.test(key, value)) {
                found.put(key, value);
            }
        });
        return Collections.unmodifiableMap(found);
    }

    /**
     * Writes, with the map's time to live, and waits until it is in this member's map.
     *
     * @throws MapException if it is refused, or not delivered in time
     */
    void put(K key, V value);

    /** @param timeToLive more than zero */
    void put(K key, V value, Duration timeToLive);

    /** Writes many entries, packed into few messages; each message is one change at every member. */
    void putAll(Map<? extends K, ? extends V> entries);

    void remove(K key);

    /** Writes; completes when it is in this member's map, or with {@link MapException} if it will not be. */
    CompletableFuture<Void> putAsync(K key, V value);

    /** @param timeToLive more than zero */
    CompletableFuture<Void> putAsync(K key, V value, Duration timeToLive);

    CompletableFuture<Void> removeAsync(K key);

    /** Returns this member. */
    Member self();

    /** Returns the view that the map has reached. */
    View view();

    /** Returns counters by name; for people. */
    Map<String, Long> status();

    /** Fails waiting calls as {@link MapException.Reason#CLOSED}, and leaves the group. Idempotent. */
    @Override
    void close();
}
