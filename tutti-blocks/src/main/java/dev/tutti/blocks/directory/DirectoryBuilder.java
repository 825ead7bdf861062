package dev.tutti.blocks.directory;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Configures a directory, and joins its group. All members use the same configuration. */
public final class DirectoryBuilder<V> {

    private final GroupBuilder group;
    private final Codec<V> values;
    private int namesMax = NAMES_MAX;
    private Duration timeout = TIMEOUT;
    private Merge<Map<DirectoryPath, V>> merge = Merge.union();
    private boolean isOnlyInPrimary;
    private String[] founders = {};
    private Consumer<View> onView = view -> {};
    private Consumer<String> onClosed = reason -> {};

    DirectoryBuilder(GroupBuilder group, Codec<V> values) {
        this.group = Arguments.required(group, "on: the group");
        this.values = Arguments.required(values, "on: the codec of values");
    }

    GroupBuilder group() {
        return group;
    }

    Codec<V> values() {
        return values;
    }

    int namesMax() {
        return namesMax;
    }

    Duration timeout() {
        return timeout;
    }

    Merge<Map<DirectoryPath, V>> merge() {
        return isOnlyInPrimary ? Merge.primary() : merge;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /** Sets the maximum number of names, contexts included; further ones are refused. 100,000 by default. */
    public DirectoryBuilder<V> namesMax(int names) {
        if (names < 1) {
            throw new IllegalArgumentException("at most " + names + " names, at least 1");
        }
        namesMax = names;
        return this;
    }

    /** Sets the time that a change may wait; 1 ms to 1 day, 10 s by default. */
    public DirectoryBuilder<V> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /**
     * Sets the rule for the merge of a partition's sides; {@link Merge#union} by default. A function gets the values by
     * their paths; contexts are kept.
     *
     * @throws IllegalArgumentException for {@link Merge#lastWriter}: a directory does not know when names were removed
     */
    public DirectoryBuilder<V> merge(Merge<Map<DirectoryPath, V>> rule) {
        Arguments.required(rule, "merge: the rule");
        if (rule.kind() == Merge.Kind.LAST_WRITER) {
            throw new IllegalArgumentException("a directory merges as largest, oldest, union or by a function, not by the last"
                    + " writer of each name: what was removed leaves nothing behind");
        }
        merge = rule;
        return this;
    }

    /**
     * Restricts changes to the primary partition: nothing is done on two sides, and nothing is merged. Changes at a
     * member outside of it wait until their timeout. Sets {@code total.delivery: safe}. If no member that was in a
     * primary view comes to the next one, the directory begins empty.
     *
     * @param founders names of the nodes of which a majority makes the first primary view, the same at all; none if the
     *     group's settings name them
     */
    public DirectoryBuilder<V> onlyInPrimary(String... founders) {
        isOnlyInPrimary = true;
        this.founders = Arguments.allRequired(founders, "onlyInPrimary: the founders").clone();
        return this;
    }

    /** Applies it to the machine. */
    <C, R> ReplicaBuilder<C, R> prepared(ReplicaBuilder<C, R> replica) {
        replica.timeout(timeout).onView(onView);
        return isOnlyInPrimary ? replica.onlyInPrimary(founders) : replica;
    }

    /** Sets a listener for every view, called in order with changes. */
    public DirectoryBuilder<V> onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Sets a listener that is called once when the group is left or lost, with the reason. */
    public DirectoryBuilder<V> onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the group, and obtains its names.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could provide the state
     */
    public Directory<V> join() {
        return Directory.join(this);
    }

    private static final int NAMES_MAX = 100_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
}
