package dev.tutti.netty.internal.loop;

import dev.tutti.core.driver.Driver.LoopBudget;
import dev.tutti.core.driver.Driver.LoopTask;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An event loop that lends its thread to tasks between its passes, and continues on another thread when a task keeps
 * it: leader and followers, as in Schmidt, O'Ryan, Kircher, Pyarali, Buschmann, "Leader/Followers" (PLoP 2000).
 *
 * <p>Listeners of an application are mostly quick. On the loop's own thread they find the bytes that have just arrived
 * in the processor's cache and cost no wake-up; on a thread of their own both are lost, for the sake of the few that
 * block. Here a listener may block all the same: a second thread, which sleeps while the node is idle, looks every 20
 * milliseconds, and every five while it sees a task, and the loop continues without the thread that is blocked
 * (docs/decisions/0130).
 *
 * <p>State confined to the loop passes from thread to thread by {@link #turns}: written before a task runs, and
 * compared and set by the thread that continues, the same one or the next.
 */
final class LeaderLoop extends SingleThreadIoEventLoop {

    /** Time between looks from one that saw a task: a blocked one is found by the next. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Time between looks from one that saw no task. Each is a wake-up, of which a node with little to do has few others. */
    private static final long LOOK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

    /** Looks at a task that computes, or that gets no processor time, until the loop continues without it. */
    private static final int LOOKS_BUSY = 4;

    /** Looks without a task after which the watch sleeps. */
    private static final int LOOKS_IDLE = 2;

    /** Time that all tasks of one pass may take together. */
    private static final long TURN_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long END_MILLIS = 100;

    /** Passes that may fail before the loop ends. */
    private static final int FAILURES_MAX = 3;

    private static final long TASK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /** Budget of a task that runs after the loop's end, on a thread of its own. */
    private static final LoopBudget UNLIMITED = new LoopBudget() {
        @Override
        public boolean mayGoOn() {
            return true;
        }

        @Override
        public boolean hasLostLoop() {
            return false;
        }
    };

    private final ThreadFactory threads;
    private final Consumer<Throwable> broken;
    private final boolean isReplaceable;
    private boolean isLending;
    private int failures;
    private final ArrayDeque<LoopTask> tasks = new ArrayDeque<>();

    /** Odd while tasks run. */
    private final AtomicLong turns = new AtomicLong();

    private final AtomicLong takeovers = new AtomicLong();
    private volatile @Nullable Thread leader;
    private volatile @Nullable Thread watch;
    private volatile boolean isWatching = true;
    private volatile boolean isEnded;

    /** @param broken told when a pass of the loop itself has failed */
    LeaderLoop(ThreadFactory threads, IoHandlerFactory io, Consumer<Throwable> broken) {
        super(null, threads, io);
        this.broken = broken;
        this.threads = threads;
        this.isReplaceable = io.isChangingThreadSupported();
        this.isLending = isReplaceable;
    }

    /**
     * Lends the thread to {@code task} at the end of this pass. On the loop only.
     *
     * @return false if the loop's thread can't be replaced
     */
    boolean runInLoop(LoopTask task) {
        if (isLending) {
            tasks.add(task);
        }
        return isLending;
    }

    /** Returns how often the loop continued without a thread that a task kept. From any thread. */
    long takeovers() {
        return takeovers.get();
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return isReplaceable ? thread == leader : super.inEventLoop(thread);
    }

    // ------------------------------------------------------------------ the thread that Netty knows, which watches

    @Override
    protected void run() {
        if (!isReplaceable) {
            super.run();
            return;
        }
        watch = Thread.currentThread();
        leader = watch;
        ioHandler().initialize();
        startLeader();
        watch();
        awaitLeader();
        // The remaining work is done here.
        leader = watch;
        isLending = false;
        tasks.forEach(task -> Thread.ofVirtual().start(() -> task.run(UNLIMITED)));
        tasks.clear();
    }

    private void watch() {
        long seen = turns.get();
        int looks = 0;
        while (!isEnded) {
            long now = turns.get();
            boolean hasTask = (now & 1) != 0;
            looks = now == seen ? looks + 1 : 0;
            seen = now;
            if (hasTask && isKept(looks)) {
                takeOver(now);
            }
            if (!hasTask && looks >= LOOKS_IDLE) {
                sleep(now);
                looks = 0;
            } else {
                LockSupport.parkNanos(this, hasTask ? LOOK_NANOS : LOOK_NANOS_MAX);
            }
        }
    }

    /** Waits for the end of the leader's thread, which has nothing more to do. */
    private void awaitLeader() {
        Thread last = leader;
        try {
            if (last != null) {
                last.join(END_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sleep(long idle) {
        isWatching = false;
        while (turns.get() == idle && !isEnded) {
            LockSupport.park(this);
        }
        isWatching = true;
    }

    private boolean isKept(int looks) {
        Thread kept = leader;
        if (looks == 0 || kept == null) {
            return false;
        }
        return switch (kept.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> looks >= LOOKS_BUSY;
        };
    }

    private void takeOver(long turn) {
        if (turns.compareAndSet(turn, turn + 1)) {
            takeovers.incrementAndGet();
            startLeader();
        }
    }

    private void startLeader() {
        Thread next = threads.newThread(this::lead);
        leader = next;
        next.start();
    }

    // ------------------------------------------------------------------ the thread of the loop

    private void lead() {
        ThreadExecutorMap.setCurrentExecutor(this);
        TaskTurn turn = new TaskTurn();
        boolean isLeader = true;
        try {
            do {
                pass();
                isLeader = tasks.isEmpty() || turn.runTasks();
            } while (isLeader && !confirmShutdown());
        } finally {
            if (isLeader) {
                isEnded = true;
                LockSupport.unpark(watch);
            }
        }
    }

    private void pass() {
        try {
            runIo();
            if (isShuttingDown()) {
                ioHandler().prepareToDestroy();
            }
            runAllTasks(TASK_NANOS_MAX);
        } catch (RuntimeException | Error e) {
            failures++;
            broken.accept(e);
            // The connections are still to be closed; a loop that fails again and again ends.
            if (failures >= FAILURES_MAX) {
                throw e;
            }
        }
    }

    /** The budget of tasks; one for each thread, so that nothing is allocated. */
    private final class TaskTurn implements LoopBudget {

        private long number;
        private long startNanos;

        /** Runs the tasks; returns whether the loop is still this thread's. */
        boolean runTasks() {
            startNanos = System.nanoTime();
            // A task that asks for the loop again comes after the next pass.
            int count = tasks.size();
            boolean isLeader = true;
            while (isLeader && count > 0) {
                count--;
                isLeader = run(tasks.remove());
            }
            return isLeader;
        }

        private boolean run(LoopTask task) {
            number = turns.incrementAndGet();
            if (!isWatching) {
                LockSupport.unpark(watch);
            }
            try {
                task.run(this);
            } catch (RuntimeException | Error e) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
            // Clears the flag: it must not stay on the loop's thread, where a selector would react to it.
            Thread.interrupted();
            return turns.compareAndSet(number, number + 1);
        }

        @Override
        public boolean mayGoOn() {
            return !hasLostLoop() && System.nanoTime() - startNanos < TURN_NANOS_MAX;
        }

        @Override
        public boolean hasLostLoop() {
            return turns.get() != number;
        }
    }
}
