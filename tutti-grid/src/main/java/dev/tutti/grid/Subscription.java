package dev.tutti.grid;

/** A registered consumer. */
public interface Subscription extends AutoCloseable {

    /** Returns the entry of the registry. */
    Entry entry();

    /** Returns the number of bytes of measurements that wait for the listener. */
    long waitingBytes();

    /**
     * Withdraws the consumer. The listener is not called after this method has returned, unless a listener calls it, which does not
     * wait for others. Idempotent.
     */
    @Override
    void close();
}
