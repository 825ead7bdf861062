package dev.tutti.sim;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Driver of a node on streams, between the {@link Network} and a {@link Machine}; has the node's ends of connections. */
final class StreamDriver implements NodeDriver {

    private final Simulation simulation;
    private final SimulatedNode node;
    private final int run;
    private final Machine machine;
    private final Consumer<Driver.Task> inputs;

    /** Ends by number; looked up for each frame, and sorted before an iteration. */
    private final HashMap<Integer, SimulatedConnection.End> ends = new HashMap<>();

    /** Ends that the machine does not know yet. */
    private final List<SimulatedConnection.End> accepted = new ArrayList<>();

    StreamDriver(Simulation simulation, SimulatedNode node, Machine machine, Consumer<Driver.Task> inputs) {
        this.simulation = simulation;
        this.node = node;
        this.run = node.run();
        this.machine = machine;
        this.inputs = inputs;
    }

    SimulatedNode node() {
        return node;
    }

    /** Returns the number of the node's run to which this driver belongs. */
    int run() {
        return run;
    }

    @Override
    public Machine machine() {
        return machine;
    }

    @Override
    public void onStart(long now) {
        machine.onStart(now);
    }

    @Override
    public void onTimer(long now) {
        machine.onTimer(now);
    }

    @Override
    public void drain(List<Runnable> effects) {
        machine.drain(new Collector(effects));
    }

    @Override
    public long nextDeadline() {
        return machine.nextDeadline();
    }

    @Override
    public boolean isQuiet() {
        // Connections end by themselves after their pending data.
        return true;
    }

    @Override
    public long lingerNanos() {
        return 0;
    }

    // ------------------------------------------------------------------ inputs

    void onKnock(SimulatedConnection connection, String remote) {
        SimulatedConnection.End end = connection.accept(this);
        accepted.add(end);
        inputs.accept(now -> {
            accepted.remove(end);
            end.number = machine.onAccepted(now, remote);
            trace(Trace.Kind.ACCEPTED, remote + " as " + end.number);
            ends.put(end.number, end);
        });
    }

    void onDialled(SimulatedConnection.End end) {
        addFor(end, now -> {
            trace(Trace.Kind.CONNECTED, "as " + end.number);
            machine.onConnected(now, end.number);
        });
    }

    void onDialFailed(SimulatedConnection.End end, DialFailure failure, String detail) {
        addFor(end, now -> {
            trace(Trace.Kind.DIAL_FAILED, end.number + " " + failure);
            forget(end);
            machine.onDialFailed(now, end.number, failure, detail);
        });
    }

    void onFrame(SimulatedConnection.End end, byte[] frame, SimulatedConnection.Pipe pipe) {
        inputs.accept(now -> {
            if (end.isOpen) {
                SimulatedNode from = end.other().node();
                simulation.trace().addFrame(simulation.nowNanos(), node.name(), from.name(), end.number, frame);
                simulation.tap(from, node, frame);
                byte[] arrived = simulation.intercept(from, node, frame);
                machine.onFrame(now, end.number, Packet.of(node.memory().adopt(arrived), 0, arrived.length));
            }
            pipe.onRead(frame.length);
        });
    }

    void onEnd(SimulatedConnection.End end, boolean isOrderly, String detail) {
        addFor(end, now -> {
            trace(Trace.Kind.DISCONNECTED, end.number + " " + detail);
            forget(end);
            end.out().discardWaiting();
            machine.onDisconnected(now, end.number, isOrderly, detail);
        });
    }

    private void addFor(SimulatedConnection.End end, Driver.Task input) {
        if (end.isOpen) {
            inputs.accept(now -> {
                if (end.isOpen) {
                    input.run(now);
                }
            });
        }
    }

    private void forget(SimulatedConnection.End end) {
        end.isOpen = false;
        ends.remove(end.number);
        simulation.network().forgetIfOver(end.connection);
    }

    // ------------------------------------------------------------------ end

    @Override
    public void abort() {
        for (SimulatedConnection.End end : takeEnds()) {
            simulation.network().abort(end);
        }
    }

    @Override
    public void vanish() {
        for (SimulatedConnection.End end : takeEnds()) {
            simulation.network().vanish(end);
        }
    }

    @Override
    public void close() {
        for (SimulatedConnection.End end : takeEnds()) {
            if (end.isConnected()) {
                end.out().end();
            }
            simulation.network().forgetIfOver(end.connection);
        }
    }

    private List<SimulatedConnection.End> takeEnds() {
        List<SimulatedConnection.End> taken = new ArrayList<>(new TreeMap<>(ends).values());
        taken.addAll(accepted);
        ends.clear();
        accepted.clear();
        taken.removeIf(end -> !end.isOpen);
        for (SimulatedConnection.End end : taken) {
            end.isOpen = false;
        }
        return taken;
    }

    private void trace(Trace.Kind kind, String text) {
        simulation.trace().add(simulation.nowNanos(), kind, node.name(), text);
    }

    // ------------------------------------------------------------------ effects

    private final class Collector implements Effects {
        private final List<Runnable> effects;

        Collector(List<Runnable> effects) {
            this.effects = effects;
        }

        @Override
        public void dial(int connection, String remote) {
            effects.add(() -> ends.put(connection, simulation.network().dial(StreamDriver.this, connection, remote)));
        }

        @Override
        public void write(int connection, Packet frame) {
            if (frame.length() > Packet.FRAME_MAX) {
                throw new IllegalStateException(
                        "frame of " + frame.length() + " bytes, at most " + Packet.FRAME_MAX);
            }
            effects.add(() -> {
                SimulatedConnection.End end = ends.get(connection);
                if (end == null || !end.isConnected()) {
                    frame.release();
                } else {
                    end.out().write(frame);
                }
            });
        }

        @Override
        public void close(int connection, String reason) {
            effects.add(() -> {
                SimulatedConnection.End end = ends.remove(connection);
                if (end != null) {
                    trace(Trace.Kind.CLOSE, connection + " " + reason);
                    end.isOpen = false;
                    if (end.isConnected()) {
                        end.out().end();
                    }
                    simulation.network().forgetIfOver(end.connection);
                }
            });
        }
    }
}
