package dev.tutti.campaign.cluster;

import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.SplittableRandom;

/** Tasks that are repeated at random times until all of them end. */
final class Chatter {

    private final Simulation simulation;
    private boolean isOn;

    Chatter(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Runs a task about once in each {@code period} from now on. */
    void begin(Duration period, Runnable task) {
        isOn = true;
        schedule(period, task, simulation.fork());
    }

    private void schedule(Duration period, Runnable task, SplittableRandom random) {
        simulation.after(Duration.ofNanos(random.nextLong(2 * period.toNanos())), () -> {
            if (isOn) {
                task.run();
                schedule(period, task, random);
            }
        });
    }

    void end() {
        isOn = false;
    }
}
