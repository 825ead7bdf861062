package dev.tutti.blocks.queue;

import dev.tutti.blocks.queue.QueueCommand.Handed;

/**
 * A task that this worker has, until it acknowledges it, gives it back, takes too long, or its member leaves the view. It may be
 * at two workers at a time then: what it does has to bear that.
 *
 * <p>All methods may be called from any thread, not by listeners of groups; they throw {@link QueueException}.
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

    /** How often it was handed to a worker, this time included: more than 1 if somebody may have worked on it before. */
    public int deliveries() {
        return item.deliveries();
    }

    private Handed handed() {
        return new Handed(item.id(), item.deliveries());
    }

    /**
     * It is done.
     *
     * @return false if it was not this worker's any more: somebody else does it again, or has done it
     */
    public boolean acknowledge() {
        return queue.call(new QueueCommand.Acknowledge<>(handed()));
    }

    /**
     * Somebody else is to do it; it comes before what was offered later.
     *
     * @return false if it was not this worker's any more
     */
    public boolean release() {
        return queue.call(new QueueCommand.Release<>(handed()));
    }

    /**
     * The time for it begins anew.
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
