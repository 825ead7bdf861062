package dev.tutti.internal;

import dev.tutti.Subscription;
import dev.tutti.Threads;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.packing.Submissions;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a node takes from where it runs: a driver, an identity, randomness, threads, and the ways to wait. The defaults
 * are those of an ordinary process; whoever runs nodes in virtual time replaces all of them
 * (docs/decisions/0093-host.md).
 */
public interface Host extends Threads {

    /** The node's own; not yet started. */
    Driver driver();

    /** Unique for each start, and above those of earlier starts at the same address. */
    long incarnation();

    /** Writes what the process uses; metrics of part {@code process}. */
    default void reportProcess(Report report) {}

    /** Platform threads of the process. */
    default List<Thread> platformThreads() {
        return List.of();
    }

    /**
     * Runs {@code task}, which returns at once, again and again, with pauses of {@code periodNanos}, until what is returned is
     * closed. On a thread that the loop and listeners can't block.
     */
    default Subscription every(long periodNanos, Runnable task) {
        return () -> {};
    }

    /** The largest heap of the process, of which messages that are put together take a share. */
    default long heapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    /** Of the node's randomness. */
    long seed();

    /** Takes what happens to a node of this name, for people. */
    NodeEvents events(String node);

    /** Tells people something that they should look at, in a sentence. Must not wait. */
    default void onTrouble(String text) {}

    /**
     * Whether {@code thrown} is this host's own signal, which ends a thread that runs the application's code and which no
     * fence may hold back.
     */
    default boolean isOwn(Throwable thrown) {
        return false;
    }

    /** A callback of {@code group} has thrown; the group has dealt with it. */
    default void onCallbackFailed(String group, String callback, Throwable thrown) {}

    /** What a group calls instead of a listener that was given to it. */
    default <T> Consumer<T> listener(String group, Consumer<T> listener) {
        return listener;
    }

    /** What the stack of a group that is being joined has above it instead of {@code application}. */
    default Application application(String group, Settings settings, Application application) {
        return application;
    }

    /** Where the stack of a group that is being joined takes packets from instead of {@code submissions}. */
    default Submissions submissions(String group, Settings settings, Submissions submissions) {
        return submissions;
    }
}
