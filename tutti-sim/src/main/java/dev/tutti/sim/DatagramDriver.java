package dev.tutti.sim;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.Machine;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/** Driver of a node on datagrams, between the {@link DatagramNetwork} and a {@link DatagramProcess}. */
final class DatagramDriver implements NodeDriver {

    private final Simulation simulation;
    private final SimulatedNode node;
    private final DatagramProcess process;
    private final Consumer<Driver.Task> inputs;
    private int waitingBytes;

    DatagramDriver(Simulation simulation, SimulatedNode node, DatagramProcess process, Consumer<Driver.Task> inputs) {
        this.simulation = simulation;
        this.node = node;
        this.process = process;
        this.inputs = inputs;
    }

    DatagramProcess process() {
        return process;
    }

    @Override
    public Machine machine() {
        return process.node();
    }

    @Override
    public void onStart(long now) {
        process.socket().onStart(now);
    }

    @Override
    public void onTimer(long now) {
        process.socket().onTimer(now);
    }

    @Override
    public void drain(List<Runnable> effects) {
        process.socket().drain(simulation.datagrams().effects(node, effects));
    }

    @Override
    public long nextDeadline() {
        return process.socket().nextDeadline();
    }

    @Override
    public boolean isQuiet() {
        return process.isQuiet().getAsBoolean();
    }

    @Override
    public long lingerNanos() {
        return 500_000_000L;
    }

    /** Returns the bytes of the datagrams that wait for the next turn. */
    int waitingBytes() {
        return waitingBytes;
    }

    void onInput(ObjLongConsumer<DatagramMachine> input) {
        inputs.accept(now -> input.accept(process.socket(), now));
    }

    void onDatagram(Endpoint from, byte[] datagram) {
        waitingBytes += datagram.length;
        inputs.accept(now -> {
            waitingBytes -= datagram.length;
            simulation.trace().addFrame(simulation.nowNanos(), node.name(), "udp", (int) from.low(), datagram);
            Packet packet = Packet.of(node.memory().acquire(Math.max(1, datagram.length)), 0, 0);
            packet.append(datagram, 0, datagram.length);
            process.socket().onDatagram(now, from, packet);
        });
    }

    @Override
    public void abort() {
        // Datagrams that were sent arrive; only those who watch the process are told of its end.
        simulation.datagrams().onProcessEnded(node);
    }

    @Override
    public void vanish() {
        simulation.datagrams().onVanished(node);
    }

    @Override
    public void close() {
        simulation.datagrams().onProcessEnded(node);
    }
}
