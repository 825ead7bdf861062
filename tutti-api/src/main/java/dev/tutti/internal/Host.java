package dev.tutti.internal;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.Subscription;
import dev.tutti.Threads;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.packing.Submissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Environment of a node: a driver, an identity, randomness, threads, and the ways to wait. The defaults are those of an
 * ordinary process; runners in virtual time replace all of them (docs/decisions/0093).
 */
public interface Host extends Threads {

    /** Returns the driver of the node; not yet started. */
    Driver driver();

    /** Starts a further node in this environment, with a driver, an identity and an end of its own. */
    default Node startNode(NodeBuilder builder) {
        return builder.start();
    }

    /** Returns a number that is unique for each start, and above those of earlier starts at the same address. */
    long incarnation();

    /** Writes the resource usage of the process; metrics of part {@code process}. */
    default void reportProcess(Report report) {}

    /** Returns the platform threads of the process. */
    default List<Thread> platformThreads() {
        return List.of();
    }

    /**
     * Runs {@code task}, which returns at once, repeatedly with pauses of {@code periodNanos}, until the returned
     * subscription is closed. It runs on a thread that the loop and listeners can't block.
     */
    default Subscription every(long periodNanos, Runnable task) {
        return () -> {};
    }

    /** Returns the records that outlast the process. */
    default DurableStore store() {
        return DurableStore.none();
    }

    /** Ends what {@link #store} has begun, after the driver. Idempotent. */
    default void end() {}

    /** Returns the name service that resolves hosts of seeds to all their addresses; null if there is none. */
    default @Nullable HostNames names() {
        return null;
    }

    /** Interrupts a thread that runs the application's code for longer than it may. */
    default void interrupt(Thread thread) {
        thread.interrupt();
    }

    /** Returns the largest heap of the process; messages that are assembled take a share of it. */
    default long heapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    /** Returns the seed of the node's randomness. */
    long seed();

    /** Returns {@code count} bytes that nobody can foresee. */
    default byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /** Returns the receiver of the events of a node of this name, for people. */
    NodeEvents events(String node);

    /** Reports a condition that an operator should look into, as a sentence. Must not wait. */
    default void onTrouble(String text) {}

    /**
     * Returns whether {@code thrown} is this host's own signal, which ends a thread that runs the application's code
     * and must pass through every fence.
     */
    default boolean isOwn(Throwable thrown) {
        return false;
    }

    /** Notes that a callback of {@code group} has thrown; the group has already handled it. */
    default void onCallbackFailed(String group, String callback, Throwable thrown) {}

    /** Returns the listener that a group calls in place of the given one. */
    default <T> Consumer<T> listener(String group, Consumer<T> listener) {
        return listener;
    }

    /** Returns the application to put on the stack of a group that is being joined, in place of {@code application}. */
    default Application application(String group, Settings settings, Application application) {
        return application;
    }

    /** Returns the source of packets for the stack of a group that is being joined, in place of {@code submissions}. */
    default Submissions submissions(String group, Settings settings, Submissions submissions) {
        return submissions;
    }
}
