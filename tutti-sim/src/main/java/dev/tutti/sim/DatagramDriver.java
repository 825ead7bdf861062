package dev.tutti.sim;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.Machine;
import java.util.List;
import java.util.function.Consumer;

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
        process.socket().drain(new Collector(effects));
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
        // Datagrams know no connections: those that were sent arrive, and nobody is told of the end.
    }

    @Override
    public void vanish() {
        // As in abort.
    }

    @Override
    public void close() {
        // As in abort.
    }

    /** Effects of the machine. Datagrams are copied when they are sent. */
    private final class Collector implements DatagramEffects {
        private final List<Runnable> effects;

        Collector(List<Runnable> effects) {
            this.effects = effects;
        }

        @Override
        public void resolve(String remote) {
            effects.add(() -> inputs.accept(
                    now -> process.socket().onResolved(now, remote, simulation.datagrams().resolve(remote))));
        }

        @Override
        public void send(Endpoint to, Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> simulation.datagrams().send(node, to, bytes));
        }

        @Override
        public void multicast(Packet datagram) {
            byte[] bytes = bytes(datagram);
            effects.add(() -> simulation.datagrams().multicast(node, bytes));
        }

        private static byte[] bytes(Packet datagram) {
            byte[] bytes = new byte[datagram.length()];
            datagram.bytes().get(datagram.offset(), bytes);
            datagram.release();
            return bytes;
        }
    }
}
