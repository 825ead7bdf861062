package dev.tutti.testkit;

import dev.tutti.sim.Simulation;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Virtual time as a wall clock, which begins on the first of January 2030. */
final class VirtualClock extends Clock {

    private static final Instant ORIGIN = Instant.parse("2030-01-01T00:00:00Z");
    private final Simulation simulation;
    private final ZoneId zone;

    VirtualClock(Simulation simulation) {
        this(simulation, ZoneOffset.UTC);
    }

    private VirtualClock(Simulation simulation, ZoneId zone) {
        this.simulation = simulation;
        this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new VirtualClock(simulation, other);
    }

    @Override
    public Instant instant() {
        return ORIGIN.plusNanos(simulation.nowNanos());
    }
}
