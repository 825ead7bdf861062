package dev.tutti.blocks.map;

import dev.tutti.Components;
import dev.tutti.DataView;
import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.blocks.internal.content.EntryRows;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Configures a map, and joins its group. All members use the same configuration. */
public final class MapBuilder<K, V> {

    private final GroupBuilder group;
    private final Codec<K> keys;
    private final Codec<V> values;
    private Duration timeToLive = Duration.ZERO;
    private Duration timeout = TIMEOUT;
    private int entriesMax = Integer.MAX_VALUE;
    private long bytesMax = Long.MAX_VALUE;
    private Overflow overflow = Overflow.REFUSE;
    private int removedMax = REMOVED_MAX;
    private WriteOrder writeOrder = WriteOrder.TIME;
    private Duration clockErrorMax = CLOCK_ERROR_MAX;
    private @Nullable Merge<Map<K, V>> merge;
    private Consumer<EntryEvent<K, V>> onEntry = event -> {};
    private boolean isOnlyInPrimary;
    private String[] founders = {};
    private Consumer<View> onView = view -> {};
    private Consumer<String> onClosed = reason -> {};

    MapBuilder(GroupBuilder group, Codec<K> keys, Codec<V> values) {
        this.group = Arguments.required(group, "on: the group");
        this.keys = Arguments.required(keys, "on: the codec of keys");
        this.values = Arguments.required(values, "on: the codec of values");
    }

    GroupBuilder group() {
        return group;
    }

    Codec<K> keys() {
        return keys;
    }

    Codec<V> values() {
        return values;
    }

    long timeToLiveNanos() {
        return timeToLive.toNanos();
    }

    Duration timeout() {
        return timeout;
    }

    Store.Bounds bounds() {
        return new Store.Bounds(entriesMax, bytesMax, overflow);
    }

    int removedMax() {
        return removedMax;
    }

    WriteOrder writeOrder() {
        return writeOrder;
    }

    HybridClock clock() {
        return new HybridClock(group.name(), group.node().threads(), group.node().address(), clockErrorMax.toMillis());
    }

    Merge<Map<K, V>> merge() {
        if (isOnlyInPrimary) {
            return Merge.primary();
        }
        Merge<Map<K, V>> said = merge;
        return said == null ? Merge.lastWriter() : said;
    }

    Consumer<EntryEvent<K, V>> entryListener() {
        return onEntry;
    }

    Consumer<View> viewListener() {
        return onView;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /** Sets the time to live of entries that have none of their own; without limit by default. */
    public MapBuilder<K, V> timeToLive(Duration time) {
        checkTimeToLive(time);
        timeToLive = time;
        return this;
    }

    /** Checks that an entry has a key and a value. */
    static void checkEntry(String map, String method, @Nullable Object key, @Nullable Object value) {
        if (key == null) {
            throw new NullPointerException("map " + map + ", " + method + ": the key is null");
        }
        if (value == null) {
            throw new NullPointerException(
                    "map " + map + ", " + method + ": the value of key " + key + " is null; remove(key) removes an entry");
        }
    }

    static void checkTimeToLive(Duration time) {
        Arguments.within(time, TIME_TO_LIVE_MIN, TIME_TO_LIVE_MAX, "the time to live");
    }

    /** Sets the time that a write may wait; 1 ms to 1 day, 30 s by default. */
    public MapBuilder<K, V> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /** Sets the maximum number of entries, and the policy beyond it. */
    public MapBuilder<K, V> entriesMax(int entries, Overflow overflow) {
        if (entries < 1) {
            throw new IllegalArgumentException("at most " + entries + " entries, at least 1");
        }
        this.entriesMax = entries;
        this.overflow = Arguments.required(overflow, "what happens to more");
        return this;
    }

    /** Sets the maximum size of keys and values in encoded bytes, and the policy, which is for both bounds. */
    public MapBuilder<K, V> bytesMax(long bytes, Overflow overflow) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at most " + bytes + " bytes, at least 1");
        }
        this.bytesMax = bytes;
        this.overflow = Arguments.required(overflow, "what happens to more");
        return this;
    }

    /**
     * Sets the number of removed keys that are remembered, 100,000 by default. A key that one side of a partition has
     * removed and forgotten is there again if the other side still has it.
     */
    public MapBuilder<K, V> removedMax(int keys) {
        if (keys < 1) {
            throw new IllegalArgumentException("at most " + keys + " removed keys, at least 1");
        }
        removedMax = keys;
        return this;
    }

    /** Sets the order that decides between writes; {@link WriteOrder#TIME} by default. */
    public MapBuilder<K, V> writeOrder(WriteOrder order) {
        writeOrder = Arguments.required(order, "writeOrder: the order");
        return this;
    }

    /**
     * Sets the limit on the distance of a node's wall clock from the median of the group's; 1 s by default, 1 ms to 1
     * h. A clock that is further off is cut to this limit and logged as a warning, and {@link ReplicatedMap#status} has
     * its error and how often it was cut. Of two writes that are further apart than twice the limit, the later one
     * stands, whatever clocks show.
     */
    public MapBuilder<K, V> clockErrorMax(Duration limit) {
        clockErrorMax = Arguments.within(limit, CLOCK_ERROR_MIN, CLOCK_ERROR_LIMIT, "clockErrorMax: the limit");
        return this;
    }

    /** Sets the rule for the merge of a partition's sides; {@link Merge#lastWriter} by default. */
    public MapBuilder<K, V> merge(Merge<Map<K, V>> rule) {
        merge = Arguments.required(rule, "merge: the rule");
        return this;
    }

    /**
     * Restricts changes to the primary partition, for the form in total order: nothing is done on two sides, and
     * nothing is merged. Changes at a member outside of it wait until their timeout. Sets {@code total.delivery: safe}.
     * If no member that was in a primary view comes to the next one, the map begins empty.
     *
     * @param founders names of the nodes of which a majority makes the first primary view, the same at all; none if the
     *     group's settings name them
     */
    public MapBuilder<K, V> onlyInPrimary(String... founders) {
        isOnlyInPrimary = true;
        this.founders = Arguments.allRequired(founders, "onlyInPrimary: the founders").clone();
        return this;
    }

    /** Applies it to the machine. */
    <C, R> ReplicaBuilder<C, R> prepared(ReplicaBuilder<C, R> replica) {
        replica.timeout(timeout).onView(onView);
        return isOnlyInPrimary ? replica.onlyInPrimary(founders) : replica;
    }

    /** Sets a listener for changes at this member, called in order on the group's thread; must not wait for the map. */
    public MapBuilder<K, V> onEntry(Consumer<EntryEvent<K, V>> listener) {
        onEntry = Arguments.required(listener, "onEntry: the listener");
        return this;
    }

    /** Sets a listener for every view, called in order with changes. */
    public MapBuilder<K, V> onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Sets a listener that is called once when the group is left or lost, with the reason. */
    public MapBuilder<K, V> onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins with the form in which of two writes that do not know of each other one stands, the same at all members:
     * the later one, as {@link #writeOrder} says. Of two that were written in the same millisecond, and of two where
     * clocks differ by more than the writes, it may be either. A write that waits for a view change is later than all
     * of the view before. Nobody waits for another member. Any reliable order of the group suffices.
     *
     * <p>Bounds are enforced by the oldest member, on the entries that it sees: writes under way come on top.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could provide the state
     */
    public ReplicatedMap<K, V> lastWriter() {
        if (isOnlyInPrimary) {
            throw new IllegalStateException("map " + group.name() + ": the last writer's form is on all sides of a partition;"
                    + " only in total order can a map be only in the primary one");
        }
        return shown(LastWriterMap.join(this));
    }

    /**
     * Joins with the form in which all members make all changes in one order, and changes can depend on present
     * entries. A write costs as much as a multicast in total order.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could provide the state
     */
    public TotalOrderMap<K, V> totalOrder() {
        return shown(OrderedMap.join(this));
    }

    /** Lets operators see the map's keys, or its entries, if the node's settings permit it. */
    private <M extends ReplicatedMap<K, V>> M shown(M map) {
        Supplier<Map<K, V>> entries = () -> map.snapshot().entries();
        Components components = group.node().components();
        components.addView(group.name(), "keys", DataView.Content.KEYS, EntryRows.ofKeys(entries));
        components.addView(group.name(), "entries", DataView.Content.VALUES, EntryRows.ofEntries(entries, values));
        return map;
    }

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration TIME_TO_LIVE_MIN = Duration.ofMillis(1);
    private static final Duration TIME_TO_LIVE_MAX = Duration.ofDays(3_650);
    private static final int REMOVED_MAX = 100_000;
    private static final Duration CLOCK_ERROR_MAX = Duration.ofSeconds(1);
    private static final Duration CLOCK_ERROR_MIN = Duration.ofMillis(1);
    private static final Duration CLOCK_ERROR_LIMIT = Duration.ofHours(1);
}
