package dev.tutti.blocks.coordination;

import dev.tutti.Threads;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that no member of the group ever gets twice under one name: over partitions, merges and restarts of all
 * members, as long as a majority of the last primary view's records is not lost ({@code records.directory}).
 *
 * <p>A member takes blocks of them in the primary partition, and hands them out by itself, outside of it, too. Those of
 * one member rise; those of several are in no order, and numbers left when a member ends are never used.
 */
public final class IdSource {

    private final Threads threads;
    private final Replica<Command, Answer> replica;
    private final String name;
    private final int block;
    private long next;
    private long end;
    private @Nullable CompletableFuture<Answer> coming;

    IdSource(Threads threads, Replica<Command, Answer> replica, String name, int block) {
        this.threads = threads;
        this.replica = replica;
        this.name = name;
        this.block = block;
    }

    /**
     * Returns the next one. Waits once for each block, for the time-out of the group's commands.
     *
     * @throws CommandException if none is left here, and no block can be taken
     */
    public long next() {
        while (true) {
            CompletableFuture<Answer> asked;
            synchronized (this) {
                if (next < end) {
                    return next++;
                }
                asked = coming;
                if (asked == null) {
                    asked = replica.submit(new Command.Take(name, block));
                    coming = asked;
                }
            }
            take(asked, await(asked));
        }
    }

    private @Nullable Answer await(CompletableFuture<Answer> asked) {
        try {
            return threads.get(asked);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for ids of " + name, e);
        } catch (ExecutionException e) {
            take(asked, null);
            throw e.getCause() instanceof CommandException failure ? failure.here() : new IllegalStateException(e);
        }
    }

    /** The first thread to arrive takes the block, for all. */
    private synchronized void take(CompletableFuture<Answer> asked, @Nullable Answer answer) {
        if (coming == asked) {
            coming = null;
            if (answer != null) {
                next = answer.value();
                end = next + block;
            }
        }
    }
}
