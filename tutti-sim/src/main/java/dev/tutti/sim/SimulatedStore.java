package dev.tutti.sim;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DurableStore;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Records of a node, which outlast its runs. Questions are answered in their order. A store without an answer when the
 * process ends may have been written or not.
 */
final class SimulatedStore implements DurableStore {

    private static final long NANOS_MIN = 20_000;
    private static final long NANOS_MAX = 1_500_000;

    /** Number of writes of which one takes up to a hundred times as long, as when other processes use the disk. */
    private static final int SLOW_ONE_IN = 40;

    private final Simulation simulation;
    private final SimulatedNode node;
    private final SplittableRandom random;
    private final TreeMap<String, byte[]> kept = new TreeMap<>();
    private long busyUntilNanos;

    SimulatedStore(Simulation simulation, SimulatedNode node, SplittableRandom random) {
        this.simulation = simulation;
        this.node = node;
        this.random = random;
    }

    /** Loses all records, as if the disk had been replaced. */
    void lose() {
        kept.clear();
    }

    @Override
    public void load(int question, String key, Client client) {
        int run = node.run();
        at(run, () -> {
            byte[] record = kept.get(key);
            answer(run, now -> client.onLoaded(now, question, record == null ? null : record.clone()));
        });
    }

    @Override
    public void store(int question, String key, byte[] record, Client client) {
        int run = node.run();
        at(run, () -> {
            kept.put(key, record);
            at(run, () -> answer(run, now -> client.onStored(now, question)));
        });
    }

    private void at(int run, Runnable step) {
        long most = random.nextInt(SLOW_ONE_IN) == 0 ? 100 * NANOS_MAX : NANOS_MAX;
        busyUntilNanos = Math.max(simulation.nowNanos(), busyUntilNanos) + random.nextLong(NANOS_MIN, most);
        simulation.at(busyUntilNanos, () -> {
            if (node.run() == run && node.life() != SimulatedNode.Life.DOWN) {
                step.run();
            }
        });
    }

    private void answer(int run, Driver.Task answer) {
        if (node.run() == run && node.life() != SimulatedNode.Life.DOWN) {
            node.execute(answer);
        }
    }
}
