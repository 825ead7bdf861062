package dev.tutti.sim;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Dials who it is told to, sends numbered frames, remembers what it is told. */
final class ToyMachine implements Machine {

    private final Memory memory;
    private final SplittableRandom random;
    private final List<String> peers;
    private final List<Consumer<Effects>> effects = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    final List<Long> numbers = new ArrayList<>();
    final List<Long> timerTimes = new ArrayList<>();
    final TreeSet<Integer> open = new TreeSet<>();
    int connections;
    long deadline = Long.MAX_VALUE;
    long periodNanos;
    private long sent;

    ToyMachine(NodeId self, long seed, Memory memory, List<String> peers) {
        this.memory = memory;
        this.random = new SplittableRandom(seed);
        this.peers = peers;
        events.add("made " + self.name());
    }

    void dial(String address) {
        int connection = connections++;
        effects.add(out -> out.dial(connection, address));
    }

    void send(int connection, int length) {
        Packet packet = Packet.create(memory, Math.max(8, length)).appendLong(++sent);
        while (packet.length() < length) {
            packet.appendByte(random.nextInt(256));
        }
        effects.add(out -> out.write(connection, packet));
    }

    void close(int connection) {
        open.remove(connection);
        effects.add(out -> out.close(connection, "enough"));
    }

    @Override
    public void onStart(long nowNanos) {
        peers.forEach(this::dial);
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        events.add("accepted " + remote);
        open.add(connections);
        return connections++;
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        events.add("connected " + connection);
        open.add(connection);
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        events.add("failed " + connection + " " + failure);
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        numbers.add(frame.takeLong());
        frame.release();
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        open.remove(connection);
        events.add("disconnected " + connection);
    }

    @Override
    public void onTimer(long nowNanos) {
        timerTimes.add(nowNanos);
        deadline = periodNanos == 0 ? Long.MAX_VALUE : nowNanos + periodNanos;
        if (periodNanos > 0) {
            for (int connection : open) {
                send(connection, 8 + random.nextInt(100));
            }
        }
    }

    @Override
    public long nextDeadline() {
        return deadline;
    }

    @Override
    public void drain(Effects out) {
        List<Consumer<Effects>> drained = List.copyOf(effects);
        effects.clear();
        drained.forEach(effect -> effect.accept(out));
    }
}
