package dev.tutti.jcache;

import dev.tutti.Threads;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Tasks that run one after another, in the order in which they came, on a thread that exists while there are any. */
final class EventLine {

    private final Threads threads;
    private final String name;
    private final int tasksMax;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private boolean isRunning;
    private volatile @Nullable Thread runner;

    /** @param tasksMax maximum number of tasks that wait */
    EventLine(Threads threads, String name, int tasksMax) {
        this.threads = threads;
        this.name = name;
        this.tasksMax = tasksMax;
    }

    /** Adds a task, which must not throw; returns false if too many wait. */
    boolean offer(Runnable task) {
        return add(task, tasksMax);
    }

    /** Adds a task even if many wait: for callers that wait for it, each of which has one. */
    void add(Runnable task) {
        add(task, Integer.MAX_VALUE);
    }

    private boolean add(Runnable task, int max) {
        lock.lock();
        try {
            if (tasks.size() >= max) {
                return false;
            }
            tasks.addLast(task);
            if (!isRunning) {
                isRunning = true;
                threads.start(name, this::run);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the caller is a task of this line. */
    boolean isCaller() {
        return Thread.currentThread() == runner;
    }

    private void run() {
        runner = Thread.currentThread();
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            Runnable next = tasks.pollFirst();
            if (next == null) {
                isRunning = false;
                runner = null;
            }
            return next;
        } finally {
            lock.unlock();
        }
    }
}
