package dev.tutti;

/** A registered listener, until it is closed. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

    /** Ends it; a call that is running at this moment is completed. Idempotent. */
    @Override
    void close();
}
