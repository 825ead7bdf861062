package dev.tutti.campaign.lies;

import dev.tutti.core.Memory;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.Socket;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.metrics.Metric;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A driver whose machine sends lies; everything else is left to the real driver. */
final class LyingDriver implements StreamDriver {

    private final StreamDriver real;
    private final long seed;
    private final long themeNanos;

    LyingDriver(StreamDriver real, long seed, long themeNanos) {
        this.real = real;
        this.seed = seed;
        this.themeNanos = themeNanos;
    }

    @Override
    public void start(Machine machine) {
        real.start(new LyingMachine(machine, real.memory(), seed, themeNanos));
    }

    @Override
    public Memory memory() {
        return real.memory();
    }

    @Override
    public String address() {
        return real.address();
    }

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public Map<String, String> description() {
        return real.description();
    }

    @Override
    public Map<String, Long> counters() {
        return real.counters();
    }

    @Override
    public List<Metric> metrics() {
        return real.metrics();
    }

    @Override
    public List<Socket> sockets() {
        return real.sockets();
    }

    @Override
    public void execute(Task task) {
        real.execute(task);
    }

    @Override
    public boolean runInLoop(LoopTask task) {
        return real.runInLoop(task);
    }

    @Override
    public void onFailure(Consumer<Throwable> listener) {
        real.onFailure(listener);
    }

    @Override
    public void close() {
        real.close();
    }
}
