package dev.tutti.blocks.directory;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.Arguments;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Says how a directory is to be used, and joins its group. All members say the same. */
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

    /** How many names there may be, contexts included; further ones are refused. 100,000 by default. */
    public DirectoryBuilder<V> namesMax(int names) {
        if (names < 1) {
            throw new IllegalArgumentException("at most " + names + " names, at least 1");
        }
        namesMax = names;
        return this;
    }

    /** How long a change may wait; 1 ms to 1 day, 10 s by default. */
    public DirectoryBuilder<V> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /**
     * What becomes of the sides of a partition; {@link Merge#union} by default. A function gets the values by their paths;
     * contexts are kept.
     *
     * @throws IllegalArgumentException for {@link Merge#lastWriter}: a directory does not know when names went
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
     * Changes are made in the primary partition alone: nothing is done on two sides, and nothing is merged. What a member outside
     * of it asks for waits until its timeout. Sets {@code total.delivery: safe}. Where no member that was in a primary view comes
     * to the next one, it begins empty.
     *
     * @param founders names of the nodes of which a majority makes the first primary view, the same at all; none if the
     *     group's settings name them
     */
    public DirectoryBuilder<V> onlyInPrimary(String... founders) {
        isOnlyInPrimary = true;
        this.founders = Arguments.allRequired(founders, "onlyInPrimary: the founders").clone();
        return this;
    }

    /** Says so to the machine. */
    <C, R> ReplicaBuilder<C, R> prepared(ReplicaBuilder<C, R> replica) {
        replica.timeout(timeout).onView(onView);
        return isOnlyInPrimary ? replica.onlyInPrimary(founders) : replica;
    }

    /** Called for every view, in order with changes. */
    public DirectoryBuilder<V> onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Called once when the group is left or lost, with the reason. */
    public DirectoryBuilder<V> onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the group, and gets its names.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if nobody could give the state
     */
    public Directory<V> join() {
        return Directory.join(this);
    }

    private static final int NAMES_MAX = 100_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
}
