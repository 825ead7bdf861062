package dev.tutti.campaign.cluster;

import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits, in virtual time, for states that a cluster must come to; fails with the state of all nodes if it does not. */
final class ClusterWait {

    private static final Duration STEP = Duration.ofMillis(1);
    private static final Duration MEMORY_LIMIT = Duration.ofSeconds(20);
    private static final long BLOCKS_AT_REST_MAX = 0;

    private final Simulation simulation;
    private final SimulatedGroup group;
    private final Supplier<String> state;

    /** @param state description of all nodes */
    ClusterWait(Simulation simulation, SimulatedGroup group, Supplier<String> state) {
        this.simulation = simulation;
        this.group = group;
        this.state = state;
    }

    /** Runs until {@code condition} holds, checked every millisecond; fails if it takes longer than {@code limit}. */
    void until(String what, Duration limit, BooleanSupplier condition) {
        long end = simulation.nowNanos() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (simulation.nowNanos() >= end) {
                throw simulation.failure("not within " + limit.toMillis() + " ms: " + what + "\n" + state.get());
            }
            simulation.advance(STEP);
        }
    }

    /** Waits for one view of all members that are present. */
    void untilOneView(Duration limit) {
        until("one view of all that are up", limit, () -> SimulatedGroup.isOneViewOf(group.present()));
    }

    /** Waits until everything that the present members were told to send is submitted. */
    void untilSubmitted(String what, Duration limit) {
        until(what, limit, () -> group.present().stream().allMatch(member -> member.ordersWaiting() == 0));
    }

    /** Lets every present member send to all, and fails if any message of the run is missing or a promise was broken. */
    void untilAllArrived(Duration limit) {
        for (SimulatedMember member : group.present()) {
            member.send(null, 1, 40);
        }
        simulation.advance(STEP);
        untilSubmitted("probes sent", limit);
        for (long waited = 0; waited < limit.toMillis() && !group.missing().isEmpty(); waited += 20) {
            simulation.advance(Duration.ofMillis(20));
        }
        simulation.advance(Duration.ofMillis(300));
        failIfAny(group.missing());
    }

    /** Waits until no present node holds memory for packets. */
    void untilNoMemoryKept() {
        until("memory back at nothing", MEMORY_LIMIT, () -> group.present().stream()
                .allMatch(member -> member.node.memory().outstandingBlocks() <= BLOCKS_AT_REST_MAX));
    }

    void failIfAny(List<Violation> violations) {
        if (!violations.isEmpty()) {
            throw simulation.failure(violations + "\n" + state.get());
        }
    }
}
