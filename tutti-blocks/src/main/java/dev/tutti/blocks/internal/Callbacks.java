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
 * Calls code of the application for a block, behind a fence: what it throws has the consequences that it has of a listener of the
 * block's group ({@link Group#fence}). From any thread.
 */
public final class Callbacks {

    /** Null if no group stands behind: nothing is reported, and none is left. */
    private final @Nullable Node node;

    private final String name;
    private final Fence fence;

    /** Tells the call itself how it has failed. */
    private final Fence quiet;

    /** @param group of the block, which this need not have been joined yet */
    public Callbacks(GroupBuilder group) {
        this(group.node(), group.name(), group.node().threads());
    }

    /** For code that is called without a group, as decoders are by tests with hostile bytes. */
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

    /** Runs {@code code}; returns what it has thrown, or null if it returned. Nothing is reported. */
    public @Nullable Throwable attempt(Fence.Code code) {
        return ask(() -> {
                    code.run();
                    return null;
                })
                .thrown();
    }

    /** Calls {@code code}, and returns what it gives or throws. Nothing is reported. */
    public <T extends @Nullable Object> Asked<T> ask(Callable<T> code) {
        Asked<T> asked = new Asked<>(code);
        quiet.call("", Asked::run, asked);
        return asked;
    }

    /** A failure that {@link #attempt} has returned, and after which this member has what the others have. */
    public void report(String callback, Throwable thrown) {
        Group group = group();
        if (group != null) {
            group.fence().report(callback, thrown);
        }
    }

    /**
     * A failure after which this member may not have what the others have: the group is left at once. Not under a block's lock.
     *
     * @param consequence why it can't go on
     */
    public void fail(String callback, String consequence, Throwable thrown) {
        Group group = group();
        if (group != null) {
            group.fail(callback, consequence, thrown);
        }
    }

    /** Looked for when something has failed, because code of the application is called before a join returns, too. */
    private @Nullable Group group() {
        for (Group group : node == null ? List.<Group>of() : node.groups()) {
            if (group.name().equals(name)) {
                return group;
            }
        }
        return null;
    }

    /**
     * What became of code.
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
                // Errors are for the fence.
                thrown = e;
            }
        }

        /** What the code has thrown; null if it has returned. */
        public @Nullable Throwable thrown() {
            return thrown;
        }

        /** What the code has returned, if it has thrown nothing. */
        @SuppressWarnings("NullAway") // null only if T may be null
        public T value() {
            return value;
        }
    }
}
