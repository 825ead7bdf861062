package dev.tutti.sim;

import dev.tutti.core.driver.Driver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of a node's process: takes turns from its start to its end, except while it is paused. Input waits until the
 * next turn. A turn takes all waiting input, then drains; its effects happen when its time is over.
 */
final class NodeRun {

    private static final int INPUTS_MAX = 256;
    private static final int IDLE_TURNS_MAX = 1_000;
    private static final long IDLE_NANOS = 10_000_000;

    private final Simulation simulation;
    private final String name;
    private final NodeClock clock;
    private final Processor processor;
    private final Runnable onStopped;
    private final ArrayDeque<Driver.Task> inbox = new ArrayDeque<>();

    // Once for all turns, of which a run takes millions.
    private final Runnable plannedTurn = this::takePlannedTurn;
    private final Runnable plannedWake = this::takePlannedWake;

    private @Nullable NodeDriver driver;
    private long deadlineNanos = Long.MAX_VALUE;
    private long wakeNanos = Long.MAX_VALUE;
    private long busyUntilNanos;
    private boolean isTurnPlanned;
    private boolean isPaused;
    private boolean isStopping;
    private boolean isOver;
    private long stopBeforeNanos;
    private long turns;
    private int idleTurns;
    private long idleSinceNanos;

    /** @param onStopped runs when a process that was told to stop has done so; ends this run */
    NodeRun(Simulation simulation, String name, NodeClock clock, Processor processor, Runnable onStopped) {
        this.simulation = simulation;
        this.name = name;
        this.clock = clock;
        this.processor = processor;
        this.onStopped = onStopped;
        this.busyUntilNanos = simulation.nowNanos();
    }

    /** Sets the driver, before the first turn. Inputs are taken without one. */
    void use(NodeDriver used) {
        driver = used;
    }

    NodeDriver driver() {
        NodeDriver present = driver;
        if (present == null) {
            throw new IllegalStateException(name + " is starting, and has no machine yet");
        }
        return present;
    }

    long turns() {
        return turns;
    }

    void pause() {
        isPaused = true;
    }

    void resume() {
        isPaused = false;
        plan();
    }

    /** Ends the process when {@code last} and all that is pending is done. */
    void stop(Driver.Task last) {
        add(now -> {
            last.run(now);
            isStopping = true;
            long lingerNanos = driver().lingerNanos();
            stopBeforeNanos = simulation.nowNanos() + lingerNanos;
            if (lingerNanos > 0) {
                simulation.at(stopBeforeNanos, unlessOver(this::plan));
            }
        });
    }

    /** Ends the process at once: waiting input and effects of the present turn are lost. */
    void end() {
        isOver = true;
        inbox.clear();
    }

    /** Takes an input for the next turn. Does nothing when the run is over. */
    void add(Driver.Task input) {
        if (!isOver) {
            inbox.add(input);
            plan();
        }
    }

    private void plan() {
        if (!isTurnPlanned && !isPaused && !isOver) {
            isTurnPlanned = true;
            simulation.at(Math.max(simulation.nowNanos(), busyUntilNanos), plannedTurn);
        }
    }

    private void takePlannedTurn() {
        if (!isOver) {
            isTurnPlanned = false;
            if (!isPaused) {
                turn(driver());
            }
        }
    }

    private void turn(NodeDriver current) {
        turns++;
        long now = clock.nanos();
        int inputs = 0;
        List<Runnable> effects = new ArrayList<>();
        try {
            Driver.Task input = inbox.poll();
            while (input != null) {
                inputs++;
                input.run(now);
                input = inputs < INPUTS_MAX ? inbox.poll() : null;
            }
            // Set before effects are drained: submissions in them belong to a turn after their writes.
            busyUntilNanos = simulation.nowNanos() + processor.turnNanos(inputs, clock.ageNanos());
            if (deadlineNanos <= now || processor.isHasty()) {
                current.onTimer(now);
            }
            current.drain(effects);
            deadlineNanos = current.nextDeadline();
        } catch (RuntimeException e) {
            throw simulation.failure(name + " stopped: " + e, e);
        }
        countIdle(inputs == 0 && effects.isEmpty());
        if (!effects.isEmpty()) {
            simulation.at(busyUntilNanos, () -> {
                if (!isOver) {
                    effects.forEach(Runnable::run);
                }
            });
        }
        if (isStopping && (current.isQuiet() || simulation.nowNanos() >= stopBeforeNanos)) {
            isStopping = false;
            simulation.at(busyUntilNanos, unlessOver(onStopped));
        }
        if (!inbox.isEmpty()) {
            plan();
        }
        wake(now);
    }

    /** Fails if a machine's deadline never moves into the future, which would keep the simulation at one time. */
    private void countIdle(boolean isIdle) {
        if (!isIdle || simulation.nowNanos() - idleSinceNanos > IDLE_NANOS) {
            idleTurns = 0;
            idleSinceNanos = simulation.nowNanos();
        }
        idleTurns++;
        if (idleTurns > IDLE_TURNS_MAX) {
            throw simulation.failure(name + " spins: " + idleTurns + " turns without input or effect within "
                    + (simulation.nowNanos() - idleSinceNanos) + " ns");
        }
    }

    /** Plans a turn for the machine's deadline, as the clock shows it now. */
    void wake() {
        wake(clock.nanos());
    }

    private void wake(long clockNow) {
        if (deadlineNanos == Long.MAX_VALUE) {
            return;
        }
        // With a drifting clock this is early or late, which is harmless.
        long due = processor.lateNanos()
                + Math.max(simulation.nowNanos() + Math.max(0, deadlineNanos - clockNow), busyUntilNanos);
        if (due < wakeNanos) {
            wakeNanos = due;
            simulation.at(due, plannedWake);
        }
    }

    /** Does nothing at a time before which another wake was planned: that one has happened. */
    private void takePlannedWake() {
        if (!isOver && wakeNanos == simulation.nowNanos()) {
            wakeNanos = Long.MAX_VALUE;
            plan();
        }
    }

    private Runnable unlessOver(Runnable action) {
        return () -> {
            if (!isOver) {
                action.run();
            }
        };
    }
}
