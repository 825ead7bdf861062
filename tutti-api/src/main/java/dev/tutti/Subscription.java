package dev.tutti;

/** Somebody who listens, until this is closed. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

    /** Ends it; what is being told at this moment still is. Idempotent. */
    @Override
    void close();
}
