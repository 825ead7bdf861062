package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.MessageTrigger;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The time of a run: while it passes, triggers strike, and a violation ends the run at the event that causes it. */
final class CheckedTime {

    /** Interval between two looks at a condition. */
    static final long LOOK_NANOS = 20_000_000;

    /** A promise was not kept. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final String property;

        Broken(String property, String text) {
            super(text);
            this.property = property;
        }

        /** Returns the name of the promise in docs/guarantees.md. */
        String property() {
            return property;
        }
    }

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final Witness witness;
    private final @Nullable LiarWatch liarWatch;
    private final Consumer<Action> onTrigger;

    /**
     * @param liarWatch watch of a lying node; null if none lies
     * @param onTrigger performs an action for which a message has been awaited
     */
    CheckedTime(
            SimulatedCluster cluster, Witness witness, @Nullable LiarWatch liarWatch, Consumer<Action> onTrigger) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.witness = witness;
        this.liarWatch = liarWatch;
        this.onTrigger = onTrigger;
    }

    void advance(Duration duration) {
        advance(duration.toNanos());
    }

    /** Runs for a time, and stops at the first violation. */
    void advance(long nanos) {
        long end = simulation.nowNanos() + nanos;
        PropertyChecker checker = cluster.checker();
        PropertyChecker aside = cluster.neighbours() == null ? checker : cluster.neighbours().checker();
        MessageTrigger trigger = cluster.trigger();
        BooleanSupplier isBroken = () -> checker.isBroken()
                || aside.isBroken()
                || witness.broken() != null
                || liarWatch != null && liarWatch.broken() != null;
        BooleanSupplier isNews = () -> isBroken.getAsBoolean() || trigger.isDue();
        while (simulation.nowNanos() < end
                && simulation.advanceUntil(isNews, Duration.ofNanos(end - simulation.nowNanos()))
                && !isBroken.getAsBoolean()) {
            for (Action action : trigger.takeDue()) {
                onTrigger.accept(action);
            }
        }
        throwIfAny(checker.violations());
        throwIfAny(aside.violations());
        Violation seen = witness.broken();
        if (seen != null) {
            throwIfAny(List.of(seen));
        }
        Violation brought = liarWatch == null ? null : liarWatch.broken();
        if (brought != null) {
            throwIfAny(List.of(brought));
        }
    }

    /** @throws Broken of the first violation, if there is one */
    void throwIfAny(List<Violation> violations) {
        if (!violations.isEmpty()) {
            throw new Broken(violations.getFirst().property(), violations.toString());
        }
    }

    /** Runs until the condition holds, checking it every 20 ms. */
    void until(String property, String what, Duration limit, BooleanSupplier condition) {
        until(property, what, limit, LOOK_NANOS, condition);
    }

    void until(String property, String what, Duration limit, long lookNanos, BooleanSupplier condition) {
        long end = simulation.nowNanos() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (simulation.nowNanos() >= end) {
                throw new Broken(property, "not within " + limit.toMillis() + " ms of the last fault: " + what);
            }
            advance(lookNanos);
        }
    }
}
