package dev.tutti.blocks.queue;

import dev.tutti.blocks.queue.QueueCommand.Handed;

/**
 * A task of this worker, until it acknowledges it, gives it back, takes too long, or its member leaves the view. In the
 * last two cases two workers may have it at a time: work on it has to tolerate that.
 *
 * <p>All methods may be called from any thread, but not by listeners of groups; they throw {@link QueueException}.
 */
public final class Task<T> {

    private final WorkQueue<T> queue;
    private final Item<T> item;

    Task(WorkQueue<T> queue, Item<T> item) {
        this.queue = queue;
        this.item = item;
    }

    public TaskId id() {
        return item.id();
    }

    public T value() {
        return item.value();
    }

    /** Returns the number of times it was handed to a worker; above 1, another may have worked on it before. */
    public int deliveries() {
        return item.deliveries();
    }

    private Handed handed() {
        return new Handed(item.id(), item.deliveries());
    }

    /**
     * Acknowledges that it is done.
     *
     * @return false if it was not this worker's any more: another one does it again, or has done it
     */
    public boolean acknowledge() {
        return queue.call(new QueueCommand.Acknowledge<>(handed()));
    }

    /**
     * Gives it back for another worker; it precedes tasks that were offered later.
     *
     * @return false if it was not this worker's any more
     */
    public boolean release() {
        return queue.call(new QueueCommand.Release<>(handed()));
    }

    /**
     * Starts the time for it anew.
     *
     * @return false if it was not this worker's any more
     */
    public boolean extend() {
        return queue.call(new QueueCommand.Extend<>(handed()));
    }

    @Override
    public String toString() {
        return "task " + item.id() + ", delivery " + item.deliveries();
    }
}
