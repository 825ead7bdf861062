package dev.tutti.sim;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Clocks of a node. The machine's clock has any origin, another one in each run, and may drift or leap, but never goes
 * back. The wall clock may be set back; only the incarnations of the node come from it.
 */
final class NodeClock {

    private static final long WALL_MILLIS_MIN = 1_000_000_000L;

    private final Simulation simulation;
    private final SplittableRandom random;
    private final Wall wall;
    private long driftPpm;
    private long startedNanos;
    private long originNanos;
    private long lastWallMillis;
    private long lastIncarnation;

    /** Wall clock of a machine, which all its nodes see. */
    private static final class Wall {
        private long offsetMillis;
    }

    NodeClock(Simulation simulation, SplittableRandom random) {
        this(simulation, random, new Wall());
    }

    private NodeClock(Simulation simulation, SplittableRandom random, Wall wall) {
        this.simulation = simulation;
        this.random = random;
        this.wall = wall;
    }

    /** Returns the clocks of a further node on the same machine. */
    NodeClock beside(SplittableRandom ofNode) {
        return new NodeClock(simulation, ofNode, wall);
    }

    /** Begins with another origin, in a run that starts now. */
    void start() {
        startedNanos = simulation.nowNanos();
        originNanos = random.nextLong(1L << 40);
    }

    long nanos() {
        long elapsed = ageNanos();
        return originNanos + elapsed + elapsed / 1_000_000 * driftPpm;
    }

    /** Returns the true time since the start of the run. */
    long ageNanos() {
        return simulation.nowNanos() - startedNanos;
    }

    void leap(Duration step) {
        originNanos += step.toNanos();
    }

    void setDrift(long partsPerMillion) {
        driftPpm = partsPerMillion;
    }

    long wallMillis() {
        return simulation.nowNanos() / 1_000_000 + WALL_MILLIS_MIN + wall.offsetMillis;
    }

    void setWall(Duration step) {
        wall.offsetMillis += step.toMillis();
    }

    /** Returns an incarnation, with milliseconds first; it is above the last one, unless the wall clock was set back. */
    long nextIncarnation() {
        long wallMillis = wallMillis();
        long incarnation = wallMillis << 20 | random.nextInt(1 << 20);
        lastIncarnation = wallMillis < lastWallMillis ? incarnation : Math.max(incarnation, lastIncarnation + 1);
        while (!simulation.takeIncarnation(lastIncarnation)) {
            // One in a million pairs that start in the same millisecond collides, and such a node would find no others.
            lastIncarnation++;
        }
        lastWallMillis = wallMillis;
        return lastIncarnation;
    }
}
