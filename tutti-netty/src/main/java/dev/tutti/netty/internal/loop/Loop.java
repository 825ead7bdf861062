package dev.tutti.netty.internal.loop;

import dev.tutti.core.driver.Driver.LoopTask;
import dev.tutti.core.driver.Driver.Task;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a node, and its turns.
 *
 * <p>A turn is the input found in one pass of the loop: from sockets, tasks, and timers. It ends after the tasks of the
 * pass, with one drain. Netty's notifications while effects are handed out (a write that fails at once, a refused
 * connection) are input of the next turn.
 */
public final class Loop {

    /** The driver's work in turns. */
    public interface Turns {

        /** Hands out the effects of the turn. */
        void drain();

        void onTimer(long nowNanos);

        /** Returns the time of the next {@link #onTimer}; {@link Long#MAX_VALUE} for never. */
        long nextDeadline();

        /** Notes that an invariant of the machine does not hold; it must not get any more input. */
        void onBroken(Throwable cause);
    }

    /** Most tasks of one turn; the rest waits for the next, after the sockets. */
    private static final int TASKS_MAX = 4_096;

    private final LeaderLoop executor;
    private final Workers workers = new Workers(4, "tutti-worker");
    private final Workers acceptWorker = new Workers(1, "tutti-accept");
    private final DriverCounters counters = new DriverCounters(EnumSet.of(Name.TURNS, Name.TASKS));
    private final Runnable endTurn = this::endTurn;
    private final Runnable runTasks = this::runTasks;
    private volatile @Nullable Thread thread;
    private volatile String name = "tutti";

    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isTasksScheduled = new AtomicBoolean();
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isClosing = new AtomicBoolean();

    private volatile Consumer<Throwable> onFailure = cause -> {};
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private @Nullable Turns turns;
    private boolean isTurnOpen;
    private boolean isHandingOut;
    private boolean isEnded;

    private @Nullable Future<?> timer;
    private long timerNanos = Long.MAX_VALUE;

    public Loop(Io io) {
        this.executor = new LeaderLoop(this::thread, io.handlers(), this::onBroken);
    }

    private Thread thread(Runnable task) {
        Thread created = new FastThreadLocalThread(task, name);
        // The thread created first is the one that ends last.
        if (thread == null) {
            thread = created;
        }
        return created;
    }

    /** Names the thread. */
    public void name(String chosen) {
        name = chosen;
        executor.execute(() -> Thread.currentThread().setName(chosen));
    }

    public SingleThreadIoEventLoop executor() {
        return executor;
    }

    public Workers workers() {
        return workers;
    }

    /** Returns the one thread for the handshakes of accepted connections. */
    public Workers acceptWorker() {
        return acceptWorker;
    }

    public void count(Map<String, Long> counted) {
        counters.count(counted);
        counted.put("turns.taken-over", executor.takeovers());
    }

    // ------------------------------------------------------------------ from any thread

    /**
     * Begins: {@code first} is the first input, {@code then} is done after it and before any task.
     *
     * @throws IllegalStateException if it was started before
     */
    public void start(Turns started, Runnable first, Runnable then) {
        if (!isStarted.compareAndSet(false, true)) {
            throw new IllegalStateException("the driver was started before");
        }
        executor.execute(() -> {
            turns = started;
            onInput(first);
            then.run();
            runTasks();
        });
    }

    public void execute(Task task) {
        if (isClosing.get()) {
            throw new RejectedExecutionException("the driver is closed");
        }
        tasks.add(task);
        if (isClosing.get() && tasks.remove(task)) {
            throw new RejectedExecutionException("the driver is closed");
        }
        if (!isTasksScheduled.get() && isTasksScheduled.compareAndSet(false, true)) {
            executor.execute(runTasks);
        }
    }

    public boolean runInLoop(LoopTask task) {
        return executor.runInLoop(task);
    }

    /** Refuses tasks from now on; returns whether that is new. */
    public boolean refuseTasks() {
        return isClosing.compareAndSet(false, true);
    }

    /** Ends the thread; returns whether it has ended in time. */
    public boolean close(long millis) {
        workers.shutdownNow();
        acceptWorker.shutdownNow();
        executor.shutdownGracefully(0, millis, TimeUnit.MILLISECONDS);
        try {
            boolean isTerminated = executor.awaitTermination(millis + 100, TimeUnit.MILLISECONDS);
            Thread last = thread;
            return isTerminated && (last == null || last.join(Duration.ofMillis(100)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    // ------------------------------------------------------------------ turns

    /**
     * Gives the machine its waiting input.
     *
     * @return whether it may get input now; otherwise effects are being handed out, and {@link #onInput} keeps it
     */
    public boolean beginInput() {
        if (isHandingOut) {
            return false;
        }
        runDeferred();
        return true;
    }

    /**
     * Runs {@code input}, which gives the machine some input, as part of a turn: now or, once effects are out, in the
     * next.
     */
    public void onInput(Runnable input) {
        if (beginInput()) {
            tell(input);
        } else {
            deferred.add(input);
        }
    }

    private void tell(Runnable input) {
        try {
            input.run();
        } catch (RuntimeException | Error e) {
            onBroken(e);
            return;
        }
        beginTurn();
    }

    public void beginTurn() {
        if (!isTurnOpen) {
            isTurnOpen = true;
            executor.executeAfterEventLoopIteration(endTurn);
        }
    }

    private void endTurn() {
        isTurnOpen = false;
        counters.add(Name.TURNS, 1);
        Turns current = turns;
        isHandingOut = true;
        try {
            if (current != null) {
                current.drain();
            }
        } catch (RuntimeException | Error e) {
            onBroken(e);
        } finally {
            isHandingOut = false;
        }
        if (!deferred.isEmpty()) {
            executor.execute(this::runDeferred);
        }
        if (current != null && turns != null) {
            arm(current.nextDeadline());
        }
    }

    private void runDeferred() {
        for (Runnable input = deferred.poll(); input != null; input = deferred.poll()) {
            tell(input);
        }
    }

    private void runTasks() {
        isTasksScheduled.set(false);
        if (turns == null || isEnded) {
            return;
        }
        runDeferred();
        runTasks(TASKS_MAX);
        if (!tasks.isEmpty() && isTasksScheduled.compareAndSet(false, true)) {
            executor.execute(runTasks);
        }
    }

    private void runTasks(int tasksMax) {
        long now = System.nanoTime();
        int count = 0;
        while (count < tasksMax) {
            Task task = tasks.poll();
            if (task == null) {
                break;
            }
            count++;
            try {
                task.run(now);
            } catch (RuntimeException | Error e) {
                onBroken(e);
                return;
            }
        }
        if (0 < count) {
            counters.add(Name.TASKS, count);
            beginTurn();
        }
    }

    /** Calls {@code listener} once if an invariant of the machine or the driver does not hold. Before the start. */
    public void onFailure(Consumer<Throwable> listener) {
        onFailure = listener;
    }

    /** Ends the input to the machine: an invariant does not hold, or the loop itself has failed. */
    public void onBroken(Throwable cause) {
        Turns current = turns;
        turns = null;
        isClosing.set(true);
        if (current != null) {
            try {
                current.onBroken(cause);
            } finally {
                onFailure.accept(cause);
            }
        }
    }

    /** Runs the accepted tasks and the last turn, and none after it; returns whether that is new. */
    public boolean finish() {
        if (isEnded) {
            return false;
        }
        while (turns != null && !tasks.isEmpty()) {
            runTasks(TASKS_MAX);
        }
        endTurn();
        if (isEnded) {
            return false;
        }
        isEnded = true;
        turns = null;
        tasks.clear();
        if (timer != null) {
            timer.cancel(false);
        }
        return true;
    }

    public boolean isEnded() {
        return isEnded;
    }

    // ------------------------------------------------------------------ time

    private void arm(long deadlineNanos) {
        if (deadlineNanos == Long.MAX_VALUE || timer != null && timerNanos - deadlineNanos <= 0) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerNanos = deadlineNanos;
        timer = executor.schedule(
                this::onTimer, Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private void onTimer() {
        timer = null;
        Turns current = turns;
        if (current == null) {
            return;
        }
        long now = System.nanoTime();
        long deadline = current.nextDeadline();
        if (deadline == Long.MAX_VALUE || now - deadline < 0) {
            arm(deadline);
        } else {
            onInput(() -> current.onTimer(System.nanoTime()));
        }
    }
}
