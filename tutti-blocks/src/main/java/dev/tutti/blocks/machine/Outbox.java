package dev.tutti.blocks.machine;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.blocks.machine.CommandException.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The commands of this member on their way to the group: numbered in the order in which they are sent, and open until they are
 * delivered here, or their deadline comes.
 *
 * <p>What the group does not take at once waits here, from where it can still be withdrawn: so a command that times out in the
 * queue is known to be without effect. One at most is with the group and not yet accepted.
 *
 * <p>From any thread. Futures are completed without the lock.
 */
final class Outbox {

    private record Unsent(OpenCommand<?> command, byte[] message) {}

    private final Threads threads;
    private final int openMax;
    private final Deadlines deadlines;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room;
    private final TreeMap<Long, OpenCommand<?>> open = new TreeMap<>();
    private final ArrayDeque<Unsent> queue = new ArrayDeque<>();
    private final ByteOutput buffer = new ByteOutput();
    private long numbers;
    private boolean isOffering;
    private boolean isSuspended;
    private @Nullable Group group;
    private @Nullable String closedBecause;

    Outbox(Threads threads, String name, int openMax) {
        this.threads = threads;
        this.openMax = openMax;
        this.room = threads.condition(lock);
        this.deadlines = new Deadlines(threads, "tutti-replica-" + name, this::sweep);
    }

    /** The group is joined: commands may be sent. */
    void open(Group joined) {
        List<Runnable> after = new ArrayList<>();
        lock.lock();
        try {
            group = joined;
            pump(after);
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
    }

    /** What is not sent yet waits, from when this member stands outside of the primary partition until it is back. */
    void suspend(boolean suspended) {
        List<Runnable> after = new ArrayList<>();
        lock.lock();
        try {
            isSuspended = suspended;
            pump(after);
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
    }

    int openCommands() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ submitting

    /** Writes the rest of a message. */
    interface Content {
        void put(ByteOutput out);
    }

    /**
     * Sends a command, or begins to wait for that.
     *
     * @param isPatient whether to wait for room until the deadline
     */
    <T> OpenCommand<T> submit(
            int kind, Content content, @Nullable Supplier<? extends T> read, Duration timeout, boolean isPatient) {
        long deadlineNanos = Deadlines.after(deadlines.nowNanos(), timeout.toNanos());
        List<Runnable> after = new ArrayList<>();
        OpenCommand<T> command;
        lock.lock();
        try {
            Refused refused = awaitRoom(isPatient, deadlineNanos);
            command = new OpenCommand<>(numbers + 1, deadlineNanos, read);
            if (refused == null) {
                buffer.reset(Long.MAX_VALUE).putByte(kind).putLong(command.number());
                content.put(buffer);
                numbers = command.number();
                open.put(command.number(), command);
                queue.add(new Unsent(command, buffer.copy()));
                pump(after);
            } else {
                command.fail(refused.reason, Execution.NEVER, refused.text);
            }
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
        deadlines.watch(deadlineNanos);
        return command;
    }

    private record Refused(Reason reason, String text) {}

    private @Nullable Refused awaitRoom(boolean isPatient, long deadlineNanos) {
        while (closedBecause == null && open.size() >= openMax) {
            long remainingNanos = deadlineNanos - deadlines.nowNanos();
            if (!isPatient || remainingNanos <= 0) {
                return new Refused(
                        Reason.TOO_MANY,
                        openMax + " commands are open here already; wait for some, or allow more with openMax");
            }
            try {
                boolean isInTime = room.await(remainingNanos, TimeUnit.NANOSECONDS);
                if (!isInTime && open.size() >= openMax) {
                    return new Refused(Reason.TOO_MANY, openMax + " commands are open here, and none of them was over in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Refused(Reason.INTERRUPTED, "interrupted while waiting for room");
            }
        }
        String closed = closedBecause;
        return closed == null ? null : new Refused(Reason.CLOSED, closed);
    }

    /** Sends from the queue what can be sent now. */
    private void pump(List<Runnable> after) {
        Group joined = group;
        while (joined != null && !isSuspended && !isOffering && !queue.isEmpty()) {
            Unsent next = queue.remove();
            try {
                if (!joined.trySend(next.message())) {
                    isOffering = true;
                    CompletableFuture<Void> accepted = joined.sendAsync(next.message());
                    after.add(() -> accepted.whenComplete((done, failure) -> onOffered(next.command(), failure)));
                }
            } catch (SendException e) {
                after.add(() -> unsent(next.command(), e));
            }
        }
    }

    private void onOffered(OpenCommand<?> command, @Nullable Throwable failure) {
        if (failure != null) {
            unsent(command, failure);
        }
        List<Runnable> after = new ArrayList<>();
        lock.lock();
        try {
            isOffering = false;
            pump(after);
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
    }

    private void unsent(OpenCommand<?> command, Throwable failure) {
        boolean isClosed = failure instanceof SendException e && e.reason().isFinal();
        remove(command);
        command.fail(isClosed ? Reason.CLOSED : Reason.NOT_SENT, Execution.NEVER, String.valueOf(failure.getMessage()));
    }

    private void remove(OpenCommand<?> command) {
        lock.lock();
        try {
            open.remove(command.number());
            room.signal();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ what commands are told

    /**
     * This member's own message was delivered.
     *
     * @param passed takes commands that were sent before it and will never be delivered here
     * @return null if nobody waits for it any more
     */
    @Nullable OpenCommand<?> onDelivered(long number, List<OpenCommand<?>> passed) {
        lock.lock();
        try {
            while (!open.isEmpty() && open.firstKey() < number) {
                passed.add(open.pollFirstEntry().getValue());
            }
            OpenCommand<?> found = open.remove(number);
            room.signalAll();
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Ends what is due, and says when the next is. */
    private long sweep(long nowNanos) {
        List<OpenCommand<?>> withdrawn = new ArrayList<>();
        List<OpenCommand<?>> due = new ArrayList<>();
        long next = Long.MAX_VALUE;
        lock.lock();
        try {
            for (Iterator<Unsent> unsent = queue.iterator(); unsent.hasNext(); ) {
                OpenCommand<?> command = unsent.next().command();
                if (command.deadlineNanos() <= nowNanos || command.isDone()) {
                    unsent.remove();
                    open.remove(command.number());
                    withdrawn.add(command);
                }
            }
            for (Iterator<OpenCommand<?>> sent = open.values().iterator(); sent.hasNext(); ) {
                OpenCommand<?> command = sent.next();
                if (command.deadlineNanos() <= nowNanos || command.isDone()) {
                    sent.remove();
                    due.add(command);
                } else {
                    next = Math.min(next, command.deadlineNanos());
                }
            }
            if (!withdrawn.isEmpty() || !due.isEmpty()) {
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
        for (OpenCommand<?> command : withdrawn) {
            command.fail(Reason.TIMED_OUT, Execution.NEVER, "the deadline came before the command could be sent; " + waitsFor());
        }
        for (OpenCommand<?> command : due) {
            command.fail(Reason.TIMED_OUT, Execution.UNKNOWN, "the deadline came before the command was back; " + waitsFor());
        }
        return next;
    }

    private String waitsFor() {
        Group joined = group;
        String reason = joined == null ? "the group is not joined yet" : joined.waitsFor();
        return reason.isEmpty() ? "sends do not wait" : "sends wait: " + reason;
    }

    void close(String reason) {
        List<OpenCommand<?>> unsent = new ArrayList<>();
        List<OpenCommand<?>> sent;
        lock.lock();
        try {
            if (closedBecause == null) {
                closedBecause = reason;
            }
            queue.forEach(each -> unsent.add(each.command()));
            unsent.forEach(each -> open.remove(each.number()));
            queue.clear();
            sent = new ArrayList<>(open.values());
            open.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        unsent.forEach(each -> each.fail(Reason.CLOSED, Execution.NEVER, reason));
        sent.forEach(each -> each.fail(Reason.CLOSED, Execution.UNKNOWN, reason));
    }
}
