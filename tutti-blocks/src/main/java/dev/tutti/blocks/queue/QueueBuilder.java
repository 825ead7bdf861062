package dev.tutti.blocks.queue;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Configures a queue, and joins its group. All members use the same configuration. */
public final class QueueBuilder<T> {

    private final GroupBuilder group;
    private final Codec<T> values;
    private int tasksMax = TASKS_MAX;
    private long bytesMax = BYTES_MAX;
    private Duration acknowledgeWithin = ACKNOWLEDGE_WITHIN;
    private Duration timeout = TIMEOUT;
    private Merge<Map<TaskId, T>> merge = Merge.union();
    private boolean isOnlyInPrimary;
    private String[] founders = {};
    private Consumer<View> onView = view -> {};
    private Consumer<String> onClosed = reason -> {};

    QueueBuilder(GroupBuilder group, Codec<T> values) {
        this.group = Arguments.required(group, "on: the group");
        this.values = Arguments.required(values, "on: the codec of values");
    }

    GroupBuilder group() {
        return group;
    }

    Codec<T> values() {
        return values;
    }

    int tasksMax() {
        return tasksMax;
    }

    long bytesMax() {
        return bytesMax;
    }

    long acknowledgeNanos() {
        return acknowledgeWithin.toNanos();
    }

    Duration timeout() {
        return timeout;
    }

    Merge<Map<TaskId, T>> merge() {
        return isOnlyInPrimary ? Merge.primary() : merge;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /** Sets the maximum number of tasks that are not done; further ones are refused. 100,000 by default. */
    public QueueBuilder<T> tasksMax(int tasks) {
        if (tasks < 1) {
            throw new IllegalArgumentException("at most " + tasks + " tasks, at least 1");
        }
        tasksMax = tasks;
        return this;
    }

    /** Sets the maximum of encoded bytes of their values; further ones are refused. 256 MiB by default. */
    public QueueBuilder<T> bytesMax(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at most " + bytes + " bytes, at least 1");
        }
        bytesMax = bytes;
        return this;
    }

    /** Sets the time that a worker has for a task before another one gets it; 1 ms to 10 days, 30 s by default. */
    public QueueBuilder<T> acknowledgeWithin(Duration time) {
        acknowledgeWithin =
                Arguments.within(time, Duration.ofMillis(1), Duration.ofDays(10), "acknowledgeWithin: the time");
        return this;
    }

    /** Sets the time that a change may wait; 1 ms to 1 day, 10 s by default. */
    public QueueBuilder<T> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /**
     * Sets the rule for the merge of a partition's sides; {@link Merge#union} by default, with which nothing is lost. A
     * function gets the tasks that are not done and returns those that are still to be done.
     *
     * @throws IllegalArgumentException for {@link Merge#lastWriter}: tasks are not overwritten
     */
    public QueueBuilder<T> merge(Merge<Map<TaskId, T>> rule) {
        Arguments.required(rule, "merge: the rule");
        if (rule.kind() == Merge.Kind.LAST_WRITER) {
            throw new IllegalArgumentException("a queue merges as largest, oldest, union or by a function, not by last writers:"
                    + " tasks are not overwritten");
        }
        merge = rule;
        return this;
    }

    /**
     * Restricts changes to the primary partition: nothing is done on two sides, and nothing is merged. Changes at a
     * member outside of it wait until their timeout. Sets {@code total.delivery: safe}. If no member that was in a
     * primary view comes to the next one, the queue begins empty.
     *
     * @param founders names of the nodes of which a majority makes the first primary view, the same at all; none if the
     *     group's settings name them
     */
    public QueueBuilder<T> onlyInPrimary(String... founders) {
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
    public QueueBuilder<T> onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Sets a listener that is called once when the group is left or lost, with the reason. */
    public QueueBuilder<T> onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the group, and obtains its tasks.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could provide the state
     */
    public WorkQueue<T> join() {
        return WorkQueue.join(this);
    }

    private static final int TASKS_MAX = 100_000;
    private static final long BYTES_MAX = 256L << 20;
    private static final Duration ACKNOWLEDGE_WITHIN = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
}
