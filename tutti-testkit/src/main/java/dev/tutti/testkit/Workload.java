package dev.tutti.testkit;

import dev.tutti.SendException;
import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** Actions that processes repeat with random pauses, each on a thread of its own, until all of them are ended. */
final class Workload {

    private final Simulation simulation;
    private final CooperativeThreads threads;
    private final SplittableRandom pauses;

    /** Counts the ends: actions of an earlier round are not repeated. */
    private int round;

    /** By name of the process, the run in which an action is running. */
    private final TreeMap<String, Integer> busyRuns = new TreeMap<>();

    Workload(Simulation simulation, CooperativeThreads threads) {
        this.simulation = simulation;
        this.threads = threads;
        this.pauses = simulation.fork();
    }

    /**
     * Repeats {@code action} in a process while {@code mayWork} holds. While an action runs, the process begins no other.
     *
     * @param meanPause mean time from the start of one action to that of the next
     */
    void keep(SimulatedProcess process, BooleanSupplier mayWork, Duration meanPause, Runnable action) {
        keep(process, mayWork, meanPause, action, round);
    }

    private void keep(
            SimulatedProcess process, BooleanSupplier mayWork, Duration meanPause, Runnable action, int ofRound) {
        Duration pause = Duration.ofNanos(pauses.nextLong(2 * meanPause.toNanos() + 1));
        simulation.after(pause, () -> {
            if (ofRound != round) {
                return;
            }
            boolean isWorking = busyRuns.getOrDefault(process.name(), 0) == process.run();
            if (mayWork.getAsBoolean() && !isWorking) {
                threads.start(process.owner(), "work", () -> work(process, action));
            }
            keep(process, mayWork, meanPause, action, ofRound);
        });
    }

    /** Runs an action; one failure is accepted, of a component whose process is being stopped. */
    private void work(SimulatedProcess process, Runnable action) {
        busyRuns.put(process.name(), process.run());
        try {
            action.run();
        } catch (SendException e) {
            if (!e.reason().isFinal() || !process.isEnding()) {
                throw e;
            }
        } finally {
            busyRuns.remove(process.name());
        }
    }

    /** Ends all actions: those that run return, and none begins. */
    void end() {
        round++;
    }
}
