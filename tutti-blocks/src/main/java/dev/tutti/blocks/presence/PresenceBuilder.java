package dev.tutti.blocks.presence;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Configures a {@link Presence}, and joins its group.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class PresenceBuilder<K, V> {

    private static final int ENTRIES_MAX = 10_000;
    private static final int ENTRIES_LIMIT = 1_000_000;

    private final GroupBuilder group;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final Map<K, V> initial = new LinkedHashMap<>();
    private int entriesMax = ENTRIES_MAX;
    private Consumer<? super Change<K, V>> onChange = change -> {};

    PresenceBuilder(GroupBuilder group, Codec<K> keys, Codec<V> values) {
        this.group = group;
        this.keys = keys;
        this.values = values;
    }

    /** Adds an entry that this member has from its first view on. */
    public PresenceBuilder<K, V> with(K key, V value) {
        initial.put(Arguments.required(key, "with: the key"), Arguments.required(value, "with: the value"));
        return this;
    }

    /** Sets the maximum of entries of each member, 1 to 1,000,000; {@value #ENTRIES_MAX} by default, and the same at all members. */
    public PresenceBuilder<K, V> entriesMax(int count) {
        if (count < 1 || count > ENTRIES_LIMIT) {
            throw new IllegalArgumentException("at most " + count + " entries of each member, 1 to " + ENTRIES_LIMIT);
        }
        entriesMax = count;
        return this;
    }

    /**
     * Sets the listener for changes, those of this member and the entries that are there when it joins included. It is called in order with the
     * group's messages and must not wait.
     */
    public PresenceBuilder<K, V> onChange(Consumer<? super Change<K, V>> listener) {
        onChange = Arguments.required(listener, "onChange: the listener");
        return this;
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

    Map<K, V> initial() {
        return initial;
    }

    int entriesMax() {
        return entriesMax;
    }

    Consumer<? super Change<K, V>> changeListener() {
        return onChange;
    }

    /**
     * Joins the group, and obtains the entries of the other members.
     *
     * @throws IllegalArgumentException if there are more entries than a member may have
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could give the state
     */
    public Presence<K, V> join() {
        return Presence.join(this);
    }
}
