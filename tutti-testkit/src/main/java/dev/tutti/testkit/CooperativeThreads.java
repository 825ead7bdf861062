package dev.tutti.testkit;

import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of simulated processes. User code runs on threads of its own, so that it may block in the middle of a call;
 * but one at a time, while the simulation stands still, and in an order that follows from the seed.
 *
 * <p>There is one baton. The simulation's thread hands it to a strand and waits; the strand hands it back when it ends
 * or has to wait, which it can do only at the places that know of this class. A strand that waits anywhere else keeps
 * the baton; the {@link Watchdog} sees it by the real time that passes, and it is reported with the place.
 */
final class CooperativeThreads {

    /** A process: its threads, and those that may not run now. */
    static final class Owner {
        private final String name;
        private final ArrayDeque<Strand> deferred = new ArrayDeque<>();
        private final LinkedHashSet<Strand> threads = new LinkedHashSet<>();
        private boolean isPaused;

        Owner(String name) {
            this.name = name;
        }

        /** Returns whether any of its threads is still running or waiting. */
        boolean isBusy() {
            return !threads.isEmpty();
        }

        /** Returns its threads, with the places where they wait. */
        List<String> threads() {
            return threads.stream().map(strand -> strand + place(strand.thread)).toList();
        }

        private static String place(Thread thread) {
            List<String> frames = Arrays.stream(thread.getStackTrace())
                    .filter(frame -> !frame.getClassName().startsWith("java."))
                    .filter(frame -> !frame.getClassName().startsWith("dev.tutti.testkit."))
                    .limit(PLACES_SHOWN)
                    .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                    .toList();
            return frames.isEmpty() ? "" : " at " + String.join(", ", frames);
        }
    }

    /** A signal that one strand, or the test, waits for. */
    static final class Signal {
        private boolean isRaised;
        private @Nullable Strand waiter;
    }

    /** Ends the thread of a process that has ended. Not an exception, so that no handler catches it by mistake. */
    private static final class ProcessEnded extends Error {
        private static final long serialVersionUID = 1;

        ProcessEnded(String process) {
            super("process " + process + " is gone", null, false, false);
        }
    }

    /** Returns whether {@code thrown} ends the thread of a process that has ended. */
    static boolean isEnd(Throwable thrown) {
        return thrown instanceof ProcessEnded;
    }

    private final class Strand extends FutureTask<@Nullable Void> {
        private final Owner owner;
        private final Semaphore turn = new Semaphore(0);
        private final Thread thread;
        private @Nullable Signal waitsFor;
        private boolean isStarted;
        private boolean isKilled;

        Strand(Owner owner, String name, Runnable task) {
            super(task, null);
            this.owner = owner;
            this.thread = Thread.ofVirtual().name(owner.name + " " + name).unstarted(this);
        }

        @Override
        protected void done() {
            owner.threads.remove(this);
            handBack(this);
        }

        @Override
        public String toString() {
            return thread.getName();
        }
    }

    private final Simulation simulation;
    private final SplittableRandom random;
    private final Thread test = Thread.currentThread();
    private final Semaphore handedBack = new Semaphore(0);
    private @Nullable Throwable failure;
    private boolean isAdvancing;

    /** The strand that has the baton; null while the simulation has it. The watchdog reads this and the fields below, too. */
    private final AtomicReference<@Nullable Strand> running = new AtomicReference<>();

    /** Number of times that the baton has been handed over. */
    private volatile long handovers;

    /** The state of the strand from which the watchdog has taken the baton; null if it has taken none. */
    private @Nullable Stuck stuckStrand;

    /** Strands that have handed the baton back and wait. */
    private final Set<Strand> parked = ConcurrentHashMap.newKeySet();

    /**
     * Lock of the watchdog's intervention, which has happened completely or not at all: code after a test must not get
     * an interrupt that was meant for the test.
     */
    private final Object intervention = new Object();

    private volatile @Nullable IllegalStateException stuckTest;
    private boolean isClosed;
    private @Nullable Watchdog watchdog;

    CooperativeThreads(Simulation simulation) {
        this.simulation = simulation;
        this.random = simulation.fork();
    }

    // ------------------------------------------------------------------ the test's thread

    /**
     * Lets time pass until {@code condition} holds, at most {@code limit}.
     *
     * @return whether it holds
     */
    boolean advanceUntil(BooleanSupplier condition, Duration limit) {
        checkTest();
        isAdvancing = true;
        try {
            simulation.advanceUntil(() -> failure != null || stuckTest != null || condition.getAsBoolean(), limit);
        } finally {
            isAdvancing = false;
        }
        throwFailure();
        return condition.getAsBoolean();
    }

    /** Checks that the test's thread drives the cluster, and not code that the cluster runs. */
    void checkTest() {
        if (Thread.currentThread() != test || isAdvancing) {
            throw new IllegalStateException("the cluster is driven by the thread of the test alone: a listener, a component"
                    + " or another thread must not call it");
        }
    }

    /** Notes a failure outside the test's own thread; the next advance throws it. */
    void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    void throwFailure() {
        IllegalStateException stuck = takeStuckTest();
        Throwable cause = stuck == null ? failure : stuck;
        failure = null;
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof RuntimeException exception) {
            throw exception;
        }
        if (cause != null) {
            throw new IllegalStateException(cause);
        }
    }

    private @Nullable IllegalStateException takeStuckTest() {
        synchronized (intervention) {
            IllegalStateException stuck = stuckTest;
            stuckTest = null;
            if (stuck != null) {
                // The watchdog's interrupt has served its purpose.
                Thread.interrupted();
            }
            return stuck;
        }
    }

    // ------------------------------------------------------------------ from anywhere

    /** Returns whether user code runs on a thread that may wait; a loop's may not. */
    boolean isStrand() {
        Strand strand = running.get();
        return strand != null && strand.thread == Thread.currentThread();
    }

    /** Returns whether the process of the calling thread has ended. */
    boolean isKilled() {
        Strand strand = running.get();
        return strand != null && strand.isKilled;
    }

    /** Runs {@code task} on a new strand, soon. */
    void start(Owner owner, String name, Runnable task) {
        if (isKilled()) {
            return;
        }
        Strand strand = new Strand(owner, name, task);
        owner.threads.add(strand);
        simulation.at(simulation.nowNanos() + wakeNanos(), () -> resume(strand));
    }

    void raise(Signal signal) {
        if (!signal.isRaised) {
            signal.isRaised = true;
            Strand waiter = signal.waiter;
            if (waiter != null) {
                simulation.at(simulation.nowNanos() + wakeNanos(), () -> resumeFrom(waiter, signal));
            }
        }
    }

    /**
     * Waits in virtual time.
     *
     * @return whether the signal was raised
     */
    boolean await(Signal signal, long timeoutNanos) {
        long limitNanos = Math.min(timeoutNanos, WAIT_NANOS_MAX);
        Strand strand = running.get();
        if (strand != null && strand.thread == Thread.currentThread()) {
            park(strand, signal, limitNanos);
        } else if (Thread.currentThread() != test) {
            throw new IllegalStateException("thread " + Thread.currentThread().getName() + " is not one of this simulation:"
                    + " whatever calls a node has to run on the test's thread, in a listener, or on Cluster.scheduler");
        } else if (isAdvancing) {
            throw new IllegalStateException("this would block the loop of a node for ever: an inline listener must not"
                    + " wait; use trySend or sendAsync");
        } else {
            advanceUntil(() -> signal.isRaised, Duration.ofNanos(limitNanos));
        }
        return signal.isRaised;
    }

    long nowNanos() {
        return simulation.nowNanos();
    }

    /** Lets virtual time pass for the calling strand, or for the test. */
    void sleep(long nanos) {
        await(new Signal(), nanos);
    }

    /** Returns the time from a thread's wake-up until it runs. Its randomness makes threads overtake each other. */
    private long wakeNanos() {
        return 1_000 + random.nextLong(WAKE_NANOS_MAX);
    }

    // ------------------------------------------------------------------ the baton

    private void park(Strand strand, Signal signal, long timeoutNanos) {
        if (strand.isKilled) {
            throw new ProcessEnded(strand.owner.name);
        }
        if (signal.isRaised) {
            return;
        }
        signal.waiter = strand;
        strand.waitsFor = signal;
        simulation.at(simulation.nowNanos() + timeoutNanos, () -> resumeFrom(strand, signal));
        parked.add(strand);
        handBack(strand);
        strand.turn.acquireUninterruptibly();
        parked.remove(strand);
        signal.waiter = null;
        strand.waitsFor = null;
        if (strand.isKilled) {
            throw new ProcessEnded(strand.owner.name);
        }
    }

    /** Does nothing for a strand that does not have the baton any more, because it was given up. */
    private void handBack(Strand strand) {
        if (running.compareAndSet(strand, null)) {
            handedBack.release();
        }
    }

    private void resumeFrom(Strand strand, Signal signal) {
        if (strand.waitsFor == signal) {
            resume(strand);
        }
    }

    private void resume(Strand strand) {
        if (!strand.owner.threads.contains(strand)) {
            return;
        }
        if (strand.owner.isPaused) {
            strand.owner.deferred.add(strand);
            strand.waitsFor = null;
            return;
        }
        run(strand);
    }

    private void run(Strand strand) {
        if (watchdog == null) {
            watchdog = new Watchdog(new Looks()::take);
        }
        handovers++;
        running.set(strand);
        if (strand.isStarted) {
            strand.turn.release();
        } else {
            strand.isStarted = true;
            strand.thread.start();
        }
        awaitBaton(strand);
        if (strand.isDone()) {
            takeResult(strand);
        }
    }

    private void takeResult(Strand strand) {
        try {
            strand.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (!(cause instanceof ProcessEnded) && !strand.isKilled) {
                fail(cause == null ? e : cause);
            }
        } catch (InterruptedException e) {
            throw interrupted(strand);
        }
    }

    /** Waits without a timeout, which the watchdog has instead: a timer for each event would take longer than the event. */
    private void awaitBaton(Strand strand) {
        try {
            handedBack.acquire();
        } catch (InterruptedException e) {
            throw interrupted(strand);
        }
        Stuck stuck = stuckStrand;
        stuckStrand = null;
        if (stuck != null) {
            throw stuck(strand, stuck == Stuck.WAITING);
        }
    }

    private IllegalStateException interrupted(Strand strand) {
        Thread.currentThread().interrupt();
        abandon(strand);
        return new IllegalStateException("the test was interrupted while thread " + strand + " ran");
    }

    private IllegalStateException stuck(Strand strand, boolean isWaiting) {
        StringBuilder text = new StringBuilder("thread ").append(strand);
        text.append(isWaiting
                ? " waits for something that virtual time does not know: another thread of the component, a lock that a"
                        + " waiting send holds, a sleep, or a future of its own"
                : " has run for " + RUNNING_SECONDS_MAX + " s without an end");
        text.append(". It is at:");
        appendStack(text, strand.thread);
        List<String> others = new ArrayList<>();
        for (Strand other : strand.owner.threads) {
            if (other != strand && other.waitsFor != null) {
                others.add(other.toString());
            }
        }
        text.append("\n    other threads of this process that wait in tutti: ").append(others);
        abandon(strand);
        return new IllegalStateException(text.toString());
    }

    /** Gives up a strand that has the baton and does not return it: the run is over, and ends without the strand. */
    private void abandon(Strand strand) {
        strand.owner.threads.remove(strand);
        strand.isKilled = true;
        strand.thread.interrupt();
        running.compareAndSet(strand, null);
    }

    // ------------------------------------------------------------------ the watchdog

    private enum Stuck {
        WAITING,
        RUNNING
    }

    /** Numbers of looks in a row that found the same; only the thread of the watchdog uses them. */
    private final class Looks {
        private long handover;
        private int ofStrand;
        private int ofWaitingStrand;
        private int ofTest;

        /** Returns whether the watchdog goes on. */
        boolean take() {
            Strand strand = running.get();
            boolean isSame = handover == handovers;
            handover = handovers;
            if (strand == null || !isSame) {
                ofStrand = 0;
                ofWaitingStrand = 0;
            } else {
                ofStrand++;
                ofWaitingStrand = strand.thread.getState() == Thread.State.RUNNABLE ? 0 : ofWaitingStrand + 1;
                if (ofWaitingStrand >= WAITING_LOOKS_MAX || ofStrand >= RUNNING_LOOKS_MAX) {
                    takeBaton(strand, ofWaitingStrand > 0 ? Stuck.WAITING : Stuck.RUNNING);
                }
            }
            Thread.State state = test.getState();
            boolean isWaiting = state == Thread.State.BLOCKED || state == Thread.State.WAITING;
            // With a permit it waits for a core alone, which may take long on a busy machine.
            boolean isHandedBack = handedBack.availablePermits() > 0;
            ofTest = isWaiting && isSame && strand == null && !isHandedBack && !parked.isEmpty() ? ofTest + 1 : 0;
            if (ofTest >= WAITING_LOOKS_MAX) {
                onStuckTest();
                return false;
            }
            return true;
        }
    }

    private void takeBaton(Strand strand, Stuck found) {
        if (running.compareAndSet(strand, null)) {
            stuckStrand = found;
            handedBack.release();
        }
    }

    /**
     * Interrupts a stuck test, without which no time passes, and ends parked threads: it may wait for a lock of theirs.
     */
    private void onStuckTest() {
        StringBuilder text = new StringBuilder("the test's own thread waits for something that virtual time does not know: a"
                + " lock that a waiting call of a component holds, or a future. Components.run and ask call a component on a"
                + " thread of its own. It is at:");
        appendStack(text, test);
        for (Strand strand : parked) {
            text.append("\n    while thread ").append(strand).append(" waits in tutti, and is ended now, at:");
            appendStack(text, strand.thread);
        }
        System.getLogger(CooperativeThreads.class.getName()).log(System.Logger.Level.ERROR, text);
        synchronized (intervention) {
            if (isClosed) {
                return;
            }
            stuckTest = new IllegalStateException(text.toString());
            for (Strand strand : parked) {
                strand.isKilled = true;
                strand.turn.release();
            }
            test.interrupt();
        }
    }

    private static void appendStack(StringBuilder text, Thread thread) {
        Arrays.stream(thread.getStackTrace())
                .limit(FRAMES_SHOWN)
                .forEach(element -> text.append("\n      ").append(element));
    }

    /** Stops time, so that the test's own thread may wait for anything. */
    void close() {
        if (watchdog != null) {
            watchdog.close();
        }
        synchronized (intervention) {
            isClosed = true;
        }
        takeStuckTest();
    }

    // ------------------------------------------------------------------ life of a process

    void pause(Owner owner) {
        owner.isPaused = true;
    }

    void resume(Owner owner) {
        owner.isPaused = false;
        List<Strand> waiting = List.copyOf(owner.deferred);
        owner.deferred.clear();
        for (Strand strand : waiting) {
            simulation.at(simulation.nowNanos() + wakeNanos(), () -> resume(strand));
        }
    }

    /** Ends the threads of a process that has ended, where they wait. */
    void kill(Owner owner) {
        owner.isPaused = false;
        owner.deferred.clear();
        for (Strand strand : List.copyOf(owner.threads)) {
            strand.isKilled = true;
            if (strand.isStarted) {
                run(strand);
            }
        }
        owner.threads.clear();
    }

    private static final long WAKE_NANOS_MAX = 20_000;
    private static final int FRAMES_SHOWN = 16;
    private static final int PLACES_SHOWN = 6;
    private static final int RUNNING_SECONDS_MAX = 60;

    /** Looks of the watchdog, two a second, until something that waits, or runs, is stuck. */
    private static final int WAITING_LOOKS_MAX = 6;

    private static final int RUNNING_LOOKS_MAX = 2 * RUNNING_SECONDS_MAX;

    /** Longer than any wait in a test. */
    private static final long WAIT_NANOS_MAX = TimeUnit.HOURS.toNanos(1);
}
