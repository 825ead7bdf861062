package dev.tutti.blocks.component;

import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.component.PassiveCommand.Ask;
import dev.tutti.blocks.component.PassiveCommand.Done;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.blocks.machine.CommandException.Reason;
import dev.tutti.blocks.machine.Replica;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Requests of this member to a passive component that wait for their outcome. */
final class PassiveCalls implements PassiveMachine.Listener {

    /** Most requests that wait here. */
    private static final int OPEN_MAX = 4_096;

    private static final class Open extends CompletableFuture<Done> {

        /** True once the request was delivered: until then the replica knows what becomes of it. */
        private boolean isAsked;
    }

    private final String name;
    private final Threads threads;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<Long, Open> open = new TreeMap<>();
    private long last;
    private Runnable onWork = () -> {};

    PassiveCalls(String name, Threads threads) {
        this.name = name;
        this.threads = threads;
    }

    void onWork(Runnable action) {
        onWork = action;
    }

    /** Asks the primary, and waits for the outcome. */
    @Nullable Object call(Replica<PassiveCommand, Boolean> replica, Invocation invocation, Duration timeout) {
        long began = threads.nanoTime();
        long number;
        Open waiter = new Open();
        lock.lock();
        try {
            if (open.size() >= OPEN_MAX) {
                throw CommandException.of(
                                Reason.TOO_MANY, Execution.NEVER, OPEN_MAX + " requests of this member wait for component " + name)
                        .here();
            }
            number = ++last;
            open.put(number, waiter);
        } finally {
            lock.unlock();
        }
        try {
            replica.call(new Ask(number, invocation), timeout);
            Done done = threads.get(waiter, timeout.toNanos() - (threads.nanoTime() - began), TimeUnit.NANOSECONDS);
            ByteInput in = new ByteInput(done.outcome());
            if (done.isThrown()) {
                throw new ComponentException(in.takeText());
            }
            return invocation.operation().result().take(in);
        } catch (TimeoutException e) {
            throw CommandException.of(
                            Reason.TIMED_OUT,
                            Execution.UNKNOWN,
                            "the primary of component " + name + " has not executed the request within " + timeout)
                    .here();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.of(Reason.INTERRUPTED, Execution.UNKNOWN, "interrupted while waiting for component " + name)
                    .here();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CommandException failure ? failure.here() : new IllegalStateException(e);
        } finally {
            forget(number);
        }
    }

    private void forget(long number) {
        lock.lock();
        try {
            open.remove(number);
        } finally {
            lock.unlock();
        }
    }

    int open() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all requests. */
    void close(String reason) {
        end(number -> false, Reason.CLOSED, reason);
    }

    @Override
    public void onAsked(long number) {
        lock.lock();
        try {
            Open waiter = open.get(number);
            if (waiter != null) {
                waiter.isAsked = true;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onDone(Done done) {
        Open waiter;
        lock.lock();
        try {
            waiter = open.get(done.request().number());
        } finally {
            lock.unlock();
        }
        if (waiter != null) {
            waiter.complete(done);
        }
    }

    @Override
    public void onReplaced(LongPredicate isWaiting) {
        end(isWaiting, Reason.REPLACED, "another state of component " + name + " goes on at this member");
    }

    private void end(LongPredicate isKept, Reason reason, String text) {
        ArrayList<Open> ended = new ArrayList<>();
        lock.lock();
        try {
            for (Map.Entry<Long, Open> each : open.entrySet()) {
                if (each.getValue().isAsked && !isKept.test(each.getKey())) {
                    ended.add(each.getValue());
                }
            }
        } finally {
            lock.unlock();
        }
        ended.forEach(each -> each.completeExceptionally(CommandException.of(reason, Execution.UNKNOWN, text)));
    }

    @Override
    public void onWork() {
        onWork.run();
    }
}
