package dev.tutti.blocks.internal;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls code of the application for a block, behind a fence: exceptions have the same consequences as those of a
 * listener of the block's group ({@link Group#fence}). From any thread.
 */
public final class Callbacks {

    /** Null if there is no group: nothing is reported, and no group is left. */
    private final @Nullable Node node;

    private final String name;
    private final Fence fence;

    /** Fence for calls whose failures are returned. */
    private final Fence quiet;

    /** @param group of the block, which may still have to be joined */
    public Callbacks(GroupBuilder group) {
        this(group.node(), group.name(), group.node().threads());
    }

    /** For code that is called without a group, such as decoders in tests with hostile bytes. */
    public Callbacks(Threads threads) {
        this(null, "", threads);
    }

    private Callbacks(@Nullable Node node, String name, Threads threads) {
        this.node = node;
        this.name = name;
        Fence.Owner owner = (callback, argument, thrown) -> report(callback, thrown);
        Fence.Owner asking = (callback, asked, thrown) -> ((Asked<?>) asked).thrown = thrown;
        this.fence = threads instanceof Host host ? new Fence(host, owner) : Fence.of(owner);
        this.quiet = threads instanceof Host host ? new Fence(host, asking) : Fence.of(asking);
    }

    /**
     * Calls {@code code} with {@code argument}.
     *
     * @return whether it returned; otherwise its failure was reported
     */
    public <T extends Object> boolean call(String callback, Consumer<? super T> code, T argument) {
        return fence.call(callback, code, argument);
    }

    /** Runs {@code code}; returns the exception that it has thrown, or null if it returned. Nothing is reported. */
    public @Nullable Throwable attempt(Fence.Code code) {
        return ask(() -> {
                    code.run();
                    return null;
                })
                .thrown();
    }

    /** Calls {@code code}, and returns its result or exception. Nothing is reported. */
    public <T extends @Nullable Object> Asked<T> ask(Callable<T> code) {
        Asked<T> asked = new Asked<>(code);
        quiet.call("", Asked::run, asked);
        return asked;
    }

    /** Reports a failure from {@link #attempt} that leaves this member's state equal to the others'. */
    public void report(String callback, Throwable thrown) {
        Group group = group();
        if (group != null) {
            group.fence().report(callback, thrown);
        }
    }

    /**
     * Reports a failure that may make this member differ from the others: leaves the group at once. Not under a block's
     * lock.
     *
     * @param consequence why it can't continue
     */
    public void fail(String callback, String consequence, Throwable thrown) {
        Group group = group();
        if (group != null) {
            group.fail(callback, consequence, thrown);
        }
    }

    /** Looked up after a failure, because code of the application is called before a join returns, too. */
    private @Nullable Group group() {
        for (Group group : node == null ? List.<Group>of() : node.groups()) {
            if (group.name().equals(name)) {
                return group;
            }
        }
        return null;
    }

    /**
     * Result or exception of code.
     *
     * @param <T> its result
     */
    public static final class Asked<T extends @Nullable Object> {
        private final Callable<T> code;
        private @Nullable T value;
        private @Nullable Throwable thrown;

        private Asked(Callable<T> code) {
            this.code = code;
        }

        private void run() {
            try {
                value = code.call();
            } catch (Exception e) {
                // Errors are left to the fence.
                thrown = e;
            }
        }

        /** Returns the exception that the code has thrown; null if it has returned. */
        public @Nullable Throwable thrown() {
            return thrown;
        }

        /** Returns the code's result, if it has thrown nothing. */
        @SuppressWarnings("NullAway") // null only if T may be null
        public T value() {
            return value;
        }
    }
}
