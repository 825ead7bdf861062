package dev.tutti.blocks.machine;

import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.blocks.machine.CommandException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A command, or a read, of this member that has no result yet. */
final class OpenCommand<T> extends CompletableFuture<T> {

    private final long number;
    private final long deadlineNanos;
    private final @Nullable Supplier<? extends T> read;

    /** @param read is evaluated where it is delivered; null for a command */
    OpenCommand(long number, long deadlineNanos, @Nullable Supplier<? extends T> read) {
        this.number = number;
        this.deadlineNanos = deadlineNanos;
        this.read = read;
    }

    long number() {
        return number;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    @Nullable Supplier<? extends T> read() {
        return read;
    }

    /** Completes with the machine's result. */
    @SuppressWarnings("unchecked") // a member's own number leads to what it was given for
    void finish(@Nullable Object result) {
        complete((T) result);
    }

    void fail(Reason reason, Execution execution, String message) {
        completeExceptionally(CommandException.of(reason, execution, message));
    }
}
