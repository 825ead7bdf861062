package dev.tutti.core.stack;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Runner.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Layers of a group, in order, between the application and the network.
 *
 * <p>Inputs are queued at the {@link Runner}, which many stacks share and which runs them until nothing is left.
 */
public final class Stack {

    /** Network below the lowest layer. */
    public interface Network {

        /** Sends to {@code packet.peer()}, or to all other members of the view if that is null. */
        void send(Packet packet);

        /** Takes a signal that has passed the lowest layer. */
        void onSignal(Signal signal);
    }

    /** Application above the highest layer. */
    public interface Top {

        void deliver(Packet packet);

        /** Takes a signal that has passed the highest layer. */
        void onSignal(Signal signal);
    }

    private final Runner runner;
    private final Layer[] layers;
    private final Position[] positions;
    private final Network network;
    private final Top top;
    private final long[] dropped = new long[DropReason.values().length];
    private final Offences offences = new Offences();
    private boolean isTouched;
    private boolean isStopped;

    /**
     * @param layers from the bottom to the top
     * @param random forked once per layer
     */
    public Stack(Runner runner, List<? extends Layer> layers, Network network, Top top, SplittableRandom random) {
        this.runner = runner;
        this.layers = layers.toArray(Layer[]::new);
        this.positions = new Position[this.layers.length];
        this.network = network;
        this.top = top;
        for (int index = 0; index < positions.length; index++) {
            positions[index] = new Position(index, layers.get(index).timers(), random.split());
        }
    }

    // ------------------------------------------------------------------ inputs

    /** Takes a packet from the network; {@code packet.peer()} is its sender. */
    public void receive(Packet packet) {
        emit(Kind.RECEIVE, 0, packet);
    }

    /** Takes back a delivered packet that the application has consumed. */
    public void consume(Packet packet) {
        emit(Kind.CONSUMED, layers.length - 1, packet);
    }

    public void signalFromNetwork(Signal signal) {
        emit(Kind.SIGNAL_UP, 0, signal);
    }

    public void signalFromApplication(Signal signal) {
        emit(Kind.SIGNAL_DOWN, layers.length - 1, signal);
    }

    public long dropped(DropReason reason) {
        return dropped[reason.ordinal()];
    }

    public void report(Report report) {
        for (Layer layer : layers) {
            layer.report(report);
        }
        for (DropReason reason : DropReason.values()) {
            if (dropped[reason.ordinal()] > 0) {
                report.section("dropped").put(reason.name().toLowerCase(Locale.ROOT), dropped[reason.ordinal()]);
            }
        }
        if (!offences.isEmpty()) {
            report.section("dropped").put("by-peer", offences.toString());
        }
    }

    /** Stops the stack: no timer fires any more, and all packets in the layers or between them are released. */
    public void stop() {
        isStopped = true;
        for (Position position : positions) {
            Arrays.fill(position.deadlines, Runner.NEVER);
        }
        for (Layer layer : layers) {
            layer.onStop();
        }
    }

    // ------------------------------------------------------------------ run by the runner

    void run(Kind kind, int index, Object what) {
        if (isStopped) {
            if (what instanceof Packet packet) {
                packet.release();
            }
            return;
        }
        Layer layer = layers[index];
        Position out = positions[index];
        switch (kind) {
            case SEND -> layer.onSend((Packet) what, out);
            case RECEIVE -> layer.onReceive((Packet) what, out);
            case CONSUMED -> layer.onConsumed((Packet) what, out);
            case SIGNAL_UP -> {
                out.isUpward = true;
                layer.onSignal((Signal) what, out);
            }
            case SIGNAL_DOWN -> {
                out.isUpward = false;
                layer.onSignal((Signal) what, out);
            }
        }
    }

    void endTurn() {
        isTouched = false;
        for (int index = 0; index < layers.length && !isStopped; index++) {
            layers[index].onTurnEnd(positions[index]);
        }
    }

    /** Handles an alarm of this stack: calls the layer if the timer is due, else sets the alarm anew. */
    void expire(int index, int timer, long alarmNanos) {
        Position position = positions[index];
        if (position.alarms[timer] == alarmNanos) {
            position.alarms[timer] = Runner.NEVER;
        }
        long deadline = position.deadlines[timer];
        if (deadline == Runner.NEVER) {
            return;
        }
        if (deadline > runner.nowNanos()) {
            position.setAlarm(timer);
            return;
        }
        position.deadlines[timer] = Runner.NEVER;
        touch();
        layers[index].onTimer(position.timers[timer], position);
    }

    private void touch() {
        if (!isTouched) {
            isTouched = true;
            runner.touched(this);
        }
    }

    private void emit(Kind kind, int index, Object what) {
        touch();
        runner.add(this, kind, index, what);
    }

    /** Position of a layer in the stack, which is its outbox. */
    private final class Position implements Outbox {

        private final int index;
        private final SplittableRandom random;
        private final Timer[] timers;
        private final long[] deadlines;
        private final long[] alarms;
        private boolean isUpward;

        Position(int index, List<? extends Timer> timers, SplittableRandom random) {
            this.index = index;
            this.random = random;
            this.timers = timers.toArray(Timer[]::new);
            this.deadlines = new long[this.timers.length];
            this.alarms = new long[this.timers.length];
            Arrays.fill(deadlines, Runner.NEVER);
            Arrays.fill(alarms, Runner.NEVER);
        }

        /** Sets an alarm. A timer armed anew for later keeps its alarm, so that there is one per timer only. */
        private void setAlarm(int timer) {
            if (deadlines[timer] < alarms[timer]) {
                alarms[timer] = deadlines[timer];
                runner.schedule(Stack.this, index, timer, deadlines[timer]);
            }
        }

        @Override
        public void send(Packet packet) {
            if (index == 0) {
                network.send(packet);
            } else {
                emit(Kind.SEND, index - 1, packet);
            }
        }

        @Override
        public void deliver(Packet packet) {
            if (index == layers.length - 1) {
                top.deliver(packet);
            } else {
                emit(Kind.RECEIVE, index + 1, packet);
            }
        }

        @Override
        public void consumed(Packet packet) {
            if (index == 0) {
                packet.release();
            } else {
                emit(Kind.CONSUMED, index - 1, packet);
            }
        }

        @Override
        public void drop(Packet packet, DropReason reason) {
            dropped[reason.ordinal()]++;
            if (reason.isOffence()) {
                offences.add(packet.peer(), reason);
            }
            packet.release();
        }

        @Override
        public void forward(Signal signal) {
            if (isUpward) {
                raise(signal);
            } else {
                lower(signal);
            }
        }

        @Override
        public void raise(Signal signal) {
            if (index == layers.length - 1) {
                top.onSignal(signal);
            } else {
                emit(Kind.SIGNAL_UP, index + 1, signal);
            }
        }

        @Override
        public void lower(Signal signal) {
            if (index == 0) {
                network.onSignal(signal);
            } else {
                emit(Kind.SIGNAL_DOWN, index - 1, signal);
            }
        }

        @Override
        public void arm(Timer timer, long delayNanos) {
            int number = number(timer);
            deadlines[number] = runner.nowNanos() + Math.max(0, delayNanos);
            setAlarm(number);
        }

        @Override
        public void disarm(Timer timer) {
            deadlines[number(timer)] = Runner.NEVER;
        }

        @Override
        public boolean isArmed(Timer timer) {
            return deadlines[number(timer)] != Runner.NEVER;
        }

        private int number(Timer timer) {
            int number = timer.ordinal();
            if (number >= timers.length || timers[number] != timer) {
                throw new IllegalArgumentException("timer " + timer + " of layer " + layers[index].getClass().getName()
                        + ", whose timers are " + Arrays.toString(timers));
            }
            return number;
        }

        @Override
        public long nowNanos() {
            return runner.nowNanos();
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        @Override
        public Memory memory() {
            return runner.memory();
        }
    }
}
