package dev.tutti.blocks.map.distributed;

import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Configures a map with some copies of each entry, and joins its groups. All members use the same configuration. */
public final class DistributedMapBuilder<K, V> {

    private final Node node;
    private final String name;
    private final Codec<K> keys;
    private final Codec<V> values;
    private int copies = COPIES;
    private int shards = SHARDS;
    private Duration timeToLive = Duration.ZERO;
    private Duration timeout = TIMEOUT;
    private Duration handOver = HAND_OVER;
    private Merge<Map<EntryKey, byte[]>> merge = Merge.lastWriter();
    private UnaryOperator<GroupBuilder> settings = UnaryOperator.identity();
    private Consumer<View> onView = view -> {};
    private Consumer<List<Integer>> onLost = numbers -> {};
    private Consumer<String> onClosed = reason -> {};

    DistributedMapBuilder(Node node, String name, Codec<K> keys, Codec<V> values) {
        this.node = Arguments.required(node, "on: the node");
        this.name = Arguments.required(name, "on: the name");
        this.keys = Arguments.required(keys, "on: the codec of keys");
        this.values = Arguments.required(values, "on: the codec of values");
    }

    Node node() {
        return node;
    }

    String name() {
        return name;
    }

    Codec<K> keys() {
        return keys;
    }

    Codec<V> values() {
        return values;
    }

    int copies() {
        return copies;
    }

    int shards() {
        return shards;
    }

    Duration timeToLive() {
        return timeToLive;
    }

    Duration timeout() {
        return timeout;
    }

    Duration handOver() {
        return handOver;
    }

    Merge<Map<EntryKey, byte[]>> merge() {
        return merge;
    }

    /** Returns a group of the map, with the settings that all of them have. */
    GroupBuilder group(String group) {
        return settings.apply(node.group(group));
    }

    Consumer<View> viewListener() {
        return onView;
    }

    Consumer<List<Integer>> lossListener() {
        return onLost;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /**
     * Sets the number of members that have each entry, 1 to 16; {@value #COPIES} by default. If there are fewer members, all of them
     * have it. With {@code k} copies, {@code k} - 1 members may crash at once without a loss.
     */
    public DistributedMapBuilder<K, V> copies(int count) {
        if (count < 1 || count > COPIES_MAX) {
            throw new IllegalArgumentException(count + " copies, 1 to " + COPIES_MAX + " are possible");
        }
        copies = count;
        return this;
    }

    /**
     * Sets the number of parts into which keys are divided, 1 to 1,024; {@value #SHARDS} by default. Each has a group of its own.
     * Entries are spread the more evenly, the more shards there are for each member: ten or more are enough.
     */
    public DistributedMapBuilder<K, V> shards(int count) {
        if (count < 1 || count > SHARDS_MAX) {
            throw new IllegalArgumentException(count + " shards, 1 to " + SHARDS_MAX + " are possible");
        }
        shards = count;
        return this;
    }

    /** Sets the time to live of entries that have none of their own, 1 ms to 10 years; without limit by default. */
    public DistributedMapBuilder<K, V> timeToLive(Duration time) {
        timeToLive = checkedTimeToLive(time);
        return this;
    }

    static Duration checkedTimeToLive(Duration time) {
        return Arguments.within(time, TIME_TO_LIVE_MIN, TIME_TO_LIVE_MAX, "the time to live");
    }

    /** Sets the time that an operation may wait; 1 ms to 1 day, 30 s by default. */
    public DistributedMapBuilder<K, V> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /** Sets the time that {@link DistributedMap#close} waits until others have this member's copies; 1 ms to 1 day, 30 s by default. */
    public DistributedMapBuilder<K, V> handOver(Duration time) {
        handOver = Arguments.timeout(time, "handOver: the time");
        return this;
    }

    /**
     * Sets the rule for entries of a partition's sides; {@link Merge#lastWriter} by default.
     *
     * @throws IllegalArgumentException if it is a function: members have entries as bytes, and call no code of the application
     */
    public DistributedMapBuilder<K, V> merge(Merge<?> rule) {
        Merge.Kind kind = Arguments.required(rule, "merge: the rule").kind();
        merge = switch (kind) {
            case LAST_WRITER -> Merge.lastWriter();
            case UNION -> Merge.union();
            case KEEP -> rule.stateOf().equals("oldest") ? Merge.oldest() : kept(rule);
            case OWN -> throw new IllegalArgumentException("merge: a function can't merge the entries of map " + name
                    + ", which its members have as bytes; lastWriter, union, largest and oldest can");
        };
        return this;
    }

    private Merge<Map<EntryKey, byte[]>> kept(Merge<?> rule) {
        if (!rule.stateOf().equals("largest")) {
            throw new IllegalArgumentException("merge: map " + name + " has no primary partition");
        }
        return Merge.largest();
    }

    /** Sets up each of the map's groups, as {@code group -> group.set("window", "4 MiB")}; their order and their state are the map's. */
    public DistributedMapBuilder<K, V> groups(UnaryOperator<GroupBuilder> change) {
        settings = Arguments.required(change, "groups: the function that sets a group up");
        return this;
    }

    /** Sets a listener for the views of the map's members; must not wait for the map. */
    public DistributedMapBuilder<K, V> onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /**
     * Sets a listener for shards that have lost their entries, because all members that had them have crashed, or are on the other
     * side of a partition; {@link DistributedMap#shardOf} tells the shard of a key. Called at the member that has begun the shards
     * again, without entries, when that has happened; on a thread of its own, which it may block.
     */
    public DistributedMapBuilder<K, V> onLost(Consumer<List<Integer>> listener) {
        onLost = Arguments.required(listener, "onLost: the listener");
        return this;
    }

    /** Sets a listener that is called once when the map's group is left or lost, with the reason. */
    public DistributedMapBuilder<K, V> onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the map. Returns when this member has the entries that it is to hold, or they have not come within the timeout;
     * operations wait for those that they need.
     *
     * @throws IllegalStateException if the node is closed or has joined the map already, or another member has another number of
     *     shards or copies
     */
    public DistributedMap<K, V> join() {
        return DistributedMap.join(this);
    }

    private static final int COPIES = 2;
    private static final int COPIES_MAX = 16;
    private static final int SHARDS = 64;
    static final int SHARDS_MAX = 1_024;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration HAND_OVER = Duration.ofSeconds(30);
    private static final Duration TIME_TO_LIVE_MIN = Duration.ofMillis(1);
    private static final Duration TIME_TO_LIVE_MAX = Duration.ofDays(3_650);
}
