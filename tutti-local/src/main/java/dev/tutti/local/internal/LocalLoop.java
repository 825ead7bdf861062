package dev.tutti.local.internal;

import dev.tutti.core.driver.Driver.Task;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** The thread of a node: it runs tasks in turns, in the order in which they were posted, and sleeps while there are none. */
final class LocalLoop {

    /** The driver's part of a turn. On the loop. */
    interface Turns {

        /** Hands out the effects of the turn. */
        void drain();

        void onTimer(long nowNanos);

        /** Returns the time of the next {@link #onTimer}; {@link Long#MAX_VALUE} for never. */
        long nextDeadline();

        /** Takes a failure in a task, a timer or a drain. The loop goes on, to end connections. */
        void onBroken(Throwable cause);

        /** Ends what has to be ended before the thread is. */
        void end();
    }

    /** Most tasks of one turn. */
    private static final int TASKS_MAX = 4_096;

    private static final int END_TURNS_MAX = 1_000;

    private static final long JOIN_MILLIS = 2_000;

    private final Turns turns;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private Task first = nowNanos -> {};
    private volatile boolean isSleeping;
    private volatile boolean isEnding;
    private volatile boolean isOver;

    LocalLoop(String name, Turns turns) {
        this.turns = turns;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    /** Starts the thread, which runs {@code first} before any other task; returns false if it was started or ended before. */
    boolean start(Task first) {
        if (!isStarted.compareAndSet(false, true)) {
            return false;
        }
        this.first = first;
        thread.start();
        return true;
    }

    /** Adds a task for a later turn, from any thread; returns false if the loop is over, and never runs it. */
    boolean post(Task task) {
        if (isOver) {
            return false;
        }
        tasks.add(task);
        if (isOver && tasks.remove(task)) {
            return false;
        }
        wake();
        return true;
    }

    private void wake() {
        if (isSleeping) {
            isSleeping = false;
            LockSupport.unpark(thread);
        }
    }

    /** Ends the loop after the tasks that were posted, and waits for that unless this is its thread. */
    void end() {
        isEnding = true;
        if (isStarted.compareAndSet(false, true)) {
            isOver = true;
            tasks.clear();
            return;
        }
        LockSupport.unpark(thread);
        if (Thread.currentThread() != thread) {
            try {
                thread.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        runFirst();
        while (!isEnding) {
            if (!turn()) {
                sleep();
            }
        }
        // What was posted before the end is still done.
        for (int count = 0; count < END_TURNS_MAX && turn(); count++) {}
        turns.end();
        isOver = true;
        runTasks(System.nanoTime());
    }

    private void runFirst() {
        try {
            first.run(System.nanoTime());
            turns.drain();
        } catch (RuntimeException | Error e) {
            turns.onBroken(e);
        }
    }

    /** Runs a turn; returns false if there was nothing to do. */
    private boolean turn() {
        try {
            long nowNanos = System.nanoTime();
            boolean hasRun = runTasks(nowNanos);
            if (turns.nextDeadline() <= nowNanos) {
                turns.onTimer(nowNanos);
                hasRun = true;
            }
            if (hasRun) {
                turns.drain();
            }
            return hasRun;
        } catch (RuntimeException | Error e) {
            turns.onBroken(e);
            return true;
        }
    }

    private boolean runTasks(long nowNanos) {
        int count = 0;
        while (count < TASKS_MAX) {
            Task task = tasks.poll();
            if (task == null) {
                break;
            }
            count++;
            task.run(nowNanos);
        }
        return count > 0;
    }

    private void sleep() {
        isSleeping = true;
        long deadlineNanos = turns.nextDeadline();
        if (tasks.isEmpty() && !isEnding) {
            if (deadlineNanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
            }
        }
        isSleeping = false;
    }
}
