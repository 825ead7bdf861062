package dev.tutti.blocks.machine;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.Buffers;
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
 * This member's commands on their way to the group: numbered in the order in which they are sent, and open until their
 * result is reported, or their deadline comes.
 *
 * <p>Commands that the group does not take at once wait here, where they can still be withdrawn: so a command that
 * times out in the queue is known to have no effect. At most one is with the group without being accepted yet.
 *
 * <p>From any thread. Code of the application runs without the lock: codecs before a command has its number, stages on futures
 * after it has ended. At a deadline, and for what can't be sent, these have a thread of their own, so that no stage holds up others.
 */
final class Outbox {

    /** Place of the number in a message, after its kind. */
    private static final int NUMBER_AT = 1;

    private record Unsent(OpenCommand<?> command, byte[] message) {}

    private final int openMax;
    private final Deadlines deadlines;
    private final Buffers buffers = new Buffers();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room;

    /** Commands that are not delivered here yet. */
    private final TreeMap<Long, OpenCommand<?>> open = new TreeMap<>();

    /** Delivered here without a reported result: executed at the moment, or their results wait for the next view. */
    private final TreeMap<Long, OpenCommand<?>> delivered = new TreeMap<>();

    private final ArrayDeque<Unsent> queue = new ArrayDeque<>();
    private long numbers;
    private boolean isOffering;
    private boolean isSuspended;
    private @Nullable Group group;
    private @Nullable String closedBecause;

    Outbox(Threads threads, String name, int openMax) {
        this.openMax = openMax;
        this.room = threads.condition(lock);
        this.deadlines = new Deadlines(threads, "tutti-replica-" + name, this::sweep);
    }

    /** Notes that the group is joined: commands may be sent. */
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

    /** Keeps unsent commands waiting while this member is outside of the primary partition. */
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
            return openSize();
        } finally {
            lock.unlock();
        }
    }

    private int openSize() {
        return open.size() + delivered.size();
    }

    // ------------------------------------------------------------------ submitting

    /** Writes the rest of a message. */
    interface Content {
        void put(ByteOutput out);
    }

    /**
     * Sends a command, or queues it. Commands of one thread are sent in the order in which it submits them.
     *
     * @param isPatient whether to wait for room until the deadline
     */
    <T> OpenCommand<T> submit(
            int kind, Content content, @Nullable Supplier<? extends T> read, Duration timeout, boolean isPatient) {
        long deadlineNanos = Deadlines.after(deadlines.nowNanos(), timeout.toNanos());
        ByteOutput out = buffers.take(Long.MAX_VALUE).putByte(kind).putLong(0);
        // A codec that does not return holds up only its caller.
        content.put(out);
        List<Runnable> after = new ArrayList<>();
        OpenCommand<T> command;
        lock.lock();
        try {
            Refused refused = awaitRoom(isPatient, deadlineNanos);
            command = new OpenCommand<>(numbers + 1, deadlineNanos, read);
            if (refused == null) {
                numbers = command.number();
                open.put(command.number(), command);
                queue.add(new Unsent(command, out.setLong(NUMBER_AT, command.number()).copy()));
                pump(after);
            } else {
                command.fail(refused.reason, Execution.NEVER, refused.text);
            }
        } finally {
            lock.unlock();
        }
        buffers.giveBack(out);
        after.forEach(Runnable::run);
        deadlines.watch(deadlineNanos);
        return command;
    }

    private record Refused(Reason reason, String text) {}

    private @Nullable Refused awaitRoom(boolean isPatient, long deadlineNanos) {
        while (closedBecause == null && openSize() >= openMax) {
            long remainingNanos = deadlineNanos - deadlines.nowNanos();
            if (!isPatient || remainingNanos <= 0) {
                return new Refused(
                        Reason.TOO_MANY,
                        openMax + " commands are open here already; wait for some, or allow more with openMax");
            }
            try {
                boolean isInTime = room.await(remainingNanos, TimeUnit.NANOSECONDS);
                if (!isInTime && openSize() >= openMax) {
                    return new Refused(Reason.TOO_MANY, openMax + " commands are open here, and none of them was over in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Refused(Reason.INTERRUPTED, "interrupted while waiting for room");
            }
        }
        String closed = closedBecause;
        if (closed != null) {
            return new Refused(Reason.CLOSED, closed);
        }
        return deadlines.nowNanos() < deadlineNanos
                ? null
                : new Refused(Reason.TIMED_OUT, "the deadline came before the command could be sent");
    }

    /** Sends the commands in the queue that can be sent now. */
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
                unsent(next.command(), e);
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
        Reason reason = isClosed ? Reason.CLOSED : Reason.NOT_SENT;
        // Others are sent whatever its stages do.
        deadlines.start(() -> end(command, reason, Execution.NEVER, String.valueOf(failure.getMessage())));
    }

    /** Removes a command that is about to end, which its deadline or closing need not do any more. */
    void remove(OpenCommand<?> command) {
        lock.lock();
        try {
            open.remove(command.number());
            delivered.remove(command.number());
            room.signal();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ what commands are told

    /**
     * Notes that this member's own message was delivered. Its command stays open until it is {@linkplain #remove
     * removed}.
     *
     * @param passed takes commands that were sent before it and will never be delivered here; they stay open, too
     * @return null if nobody waits for it any more
     */
    @Nullable OpenCommand<?> onDelivered(long number, List<OpenCommand<?>> passed) {
        lock.lock();
        try {
            if (!open.isEmpty() && open.firstKey() < number) {
                passed.addAll(open.headMap(number).values());
            }
            OpenCommand<?> found = open.remove(number);
            if (found != null) {
                delivered.put(number, found);
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Ends commands that are due; returns when the next one is. */
    private long sweep(long nowNanos) {
        List<OpenCommand<?>> withdrawn = new ArrayList<>();
        List<OpenCommand<?>> sent = new ArrayList<>();
        List<OpenCommand<?>> executing = new ArrayList<>();
        long next;
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
            next = Math.min(takeDue(open, nowNanos, sent), takeDue(delivered, nowNanos, executing));
            if (!withdrawn.isEmpty() || !sent.isEmpty() || !executing.isEmpty()) {
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
        withdrawn.forEach(each -> expire(each, Execution.NEVER, "the deadline came before the command could be sent; " + waitsFor()));
        sent.forEach(each -> expire(each, Execution.UNKNOWN, "the deadline came before the command was back; " + waitsFor()));
        executing.forEach(each -> expire(each, Execution.UNKNOWN,
                "the deadline came after the command was delivered here and before there was a result: it may have been executed"));
        return next;
    }

    /** @return when the next one is due */
    private static long takeDue(TreeMap<Long, OpenCommand<?>> from, long nowNanos, List<OpenCommand<?>> due) {
        long next = Long.MAX_VALUE;
        for (Iterator<OpenCommand<?>> all = from.values().iterator(); all.hasNext(); ) {
            OpenCommand<?> command = all.next();
            if (command.deadlineNanos() <= nowNanos || command.isDone()) {
                all.remove();
                due.add(command);
            } else {
                next = Math.min(next, command.deadlineNanos());
            }
        }
        return next;
    }

    private void expire(OpenCommand<?> command, Execution execution, String message) {
        if (!command.isDone()) {
            deadlines.start(() -> command.fail(Reason.TIMED_OUT, execution, message));
        }
    }

    private String waitsFor() {
        Group joined = group;
        String reason = joined == null ? "the group is not joined yet" : joined.waitsFor();
        return reason.isEmpty() ? "sends do not wait" : "sends wait: " + reason;
    }

    void close(String reason) {
        List<OpenCommand<?>> unsent;
        List<OpenCommand<?>> sent;
        lock.lock();
        try {
            if (closedBecause == null) {
                closedBecause = reason;
            }
            sent = new ArrayList<>(delivered.values());
            // Numbers are given in the order of the queue.
            long firstUnsent = queue.isEmpty() ? Long.MAX_VALUE : queue.getFirst().command().number();
            sent.addAll(open.headMap(firstUnsent).values());
            unsent = new ArrayList<>(open.tailMap(firstUnsent).values());
            queue.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        unsent.forEach(each -> end(each, Reason.CLOSED, Execution.NEVER, reason));
        sent.forEach(each -> end(each, Reason.CLOSED, Execution.UNKNOWN, reason));
    }

    /** Ends a command. While a stage on another future delays that, its deadline may end it. */
    private void end(OpenCommand<?> command, Reason reason, Execution execution, String message) {
        remove(command);
        command.fail(reason, execution, message);
    }
}
