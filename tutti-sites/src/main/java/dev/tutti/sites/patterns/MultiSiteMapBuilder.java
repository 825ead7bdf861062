package dev.tutti.sites.patterns;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.internal.map.Entries;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Configures a {@link MultiSiteMap}, and joins its group. All members of all sites merge alike; sites may differ in the rest. */
public final class MultiSiteMapBuilder<K, V> {

    /**
     * Joins two values that sites have written under a key without knowing of each other. Called at each member, with the same
     * values in the same order; it must return the same everywhere, wait for nothing and change nothing.
     */
    public interface Merge<K, V> {

        /** Returns the value that stands, not null. If this throws, {@code later} does. */
        V merge(K key, V earlier, V later);
    }

    private final SiteGroupBuilder group;
    private final Codec<K> keys;
    private final Codec<V> values;
    private @Nullable Merge<K, V> merge;
    private @Nullable ActiveSite active;
    private boolean isReadOnly;
    private int removedMax = REMOVED_MAX;
    private int entriesMax = Integer.MAX_VALUE;
    private Duration timeout = Duration.ofSeconds(30);
    private Duration clockErrorMax = Duration.ofSeconds(1);
    private Consumer<EntryEvent<K, V>> onEntry = event -> {};

    MultiSiteMapBuilder(SiteGroupBuilder group, Codec<K> keys, Codec<V> values) {
        this.group = Arguments.required(group, "on: the group");
        this.keys = Arguments.required(keys, "on: the codec of keys");
        this.values = Arguments.required(values, "on: the codec of values");
    }

    /** Joins the values of writes that did not know of each other, instead of keeping the later one alone. */
    public MultiSiteMapBuilder<K, V> merge(Merge<K, V> function) {
        merge = Arguments.required(function, "merge: the function");
        return this;
    }

    /** Refuses writes of this member's site, which is a copy. */
    public MultiSiteMapBuilder<K, V> readOnly() {
        isReadOnly = true;
        return this;
    }

    /**
     * Refuses writes of members that are not active. Writes of a later term stand, however late those of an earlier one arrive.
     */
    public MultiSiteMapBuilder<K, V> onlyIfActive(ActiveSite site) {
        active = Arguments.required(site, "onlyIfActive: the active site");
        return this;
    }

    /**
     * Sets the number of removed keys that are remembered, 100,000 by default. A removed key that was forgotten has its value again
     * if an older write of it arrives then, from a site that was away.
     */
    public MultiSiteMapBuilder<K, V> removedMax(int removals) {
        if (removals < 1) {
            throw new IllegalArgumentException("at least one removal is remembered, not " + removals);
        }
        removedMax = removals;
        return this;
    }

    /** Sets the number of entries beyond which a member adds none; those of other sites that are under way come on top. */
    public MultiSiteMapBuilder<K, V> entriesMax(int entries) {
        if (entries < 1) {
            throw new IllegalArgumentException("a map has at least one entry at most, not " + entries);
        }
        entriesMax = entries;
        return this;
    }

    /** Sets the time that a write may wait; 1 ms to 1 day, 30 s by default. */
    public MultiSiteMapBuilder<K, V> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /**
     * Sets the distance of a node's wall clock from the median of all above which it is cut, and a warning is written; 1 ms to 1 h,
     * 1 s by default.
     */
    public MultiSiteMapBuilder<K, V> clockErrorMax(Duration error) {
        clockErrorMax = Arguments.within(error, Duration.ofMillis(1), Duration.ofHours(1), "clockErrorMax: the error");
        return this;
    }

    /** Sets the listener for changes at this member, called in order and one at a time. */
    public MultiSiteMapBuilder<K, V> onEntry(Consumer<EntryEvent<K, V>> listener) {
        onEntry = Arguments.required(listener, "onEntry: the listener");
        return this;
    }

    /**
     * Joins. Returns when this member has the entries of its site; those of other sites follow.
     *
     * @throws IllegalStateException if the site group is joined already
     * @throws dev.tutti.StateException if no member of this site could provide the state
     */
    public MultiSiteMap<K, V> join() {
        return MultiSiteMap.join(this);
    }

    SiteGroupBuilder group() {
        return group;
    }

    Codec<K> keys() {
        return keys;
    }

    Codec<V> values() {
        return values;
    }

    Entries.@Nullable Merger<K, V> merger() {
        Merge<K, V> function = merge;
        return function == null ? null : function::merge;
    }

    /** Returns the term of this member's writes; 0 if all sites write. */
    long term() {
        return active == null ? 0 : active.term();
    }

    /** Returns the reason why this member may not write now; null if it may. */
    @Nullable String refusal() {
        ActiveSite gate = active;
        String site = group.sites().site();
        if (isReadOnly) {
            return "site " + site + " has a copy that is only read; write at another site";
        }
        if (gate != null && !gate.isActive()) {
            return "site " + site + " is not the active one; " + gate.activeSite()
                    .map(other -> other + " is: write there")
                    .orElse("none is known to be: wait until one is, or promote one");
        }
        return null;
    }

    int removedMax() {
        return removedMax;
    }

    int entriesMax() {
        return entriesMax;
    }

    Duration timeout() {
        return timeout;
    }

    Duration clockErrorMax() {
        return clockErrorMax;
    }

    Consumer<EntryEvent<K, V>> onEntry() {
        return onEntry;
    }

    private static final int REMOVED_MAX = 100_000;
}
