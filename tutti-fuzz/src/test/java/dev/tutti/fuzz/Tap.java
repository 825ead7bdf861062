package dev.tutti.fuzz;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.datagram.HostedMachine;
import dev.tutti.protocols.datagram.Multicast;
import dev.tutti.protocols.node.NodeMachine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A node's machine, whose frames can be listened to, changed, and made up. */
final class Tap implements HostedMachine {

    /** Gets each frame before the machine does. */
    @FunctionalInterface
    interface Listener {

        /** Returns the frame to pass on instead; null if the connection is to break. */
        byte[] onFrame(int connection, byte[] frame);
    }

    private final NodeMachine machine;
    private final Map<Integer, byte[]> lastFrames = new LinkedHashMap<>();
    private final TreeSet<Integer> broken = new TreeSet<>();
    private final List<Integer> toClose = new ArrayList<>();
    private final List<Consumer<Effects>> early = new ArrayList<>();
    private DatagramNode socket;
    private Listener listener = (connection, frame) -> frame;

    Tap(NodeMachine machine) {
        this.machine = machine;
    }

    NodeMachine machine() {
        return machine;
    }

    /** Returns the node on datagrams that runs the machine; null if it is not on datagrams. */
    DatagramNode socket() {
        return socket;
    }

    void setSocket(DatagramNode datagrams) {
        socket = datagrams;
    }

    void listen(Listener added) {
        listener = added;
    }

    /** Returns the connections on which frames have come, the one with the latest last. */
    List<Integer> connections() {
        return new ArrayList<>(lastFrames.keySet());
    }

    boolean isBroken(int connection) {
        return broken.contains(connection);
    }

    /** Ends a connection at both ends, as a driver does with bytes that cannot be right. */
    void breakConnection(long nowNanos, int connection) {
        if (broken.add(connection)) {
            lastFrames.remove(connection);
            toClose.add(connection);
            machine.onDisconnected(nowNanos, connection, false, "a frame does not have its checksum");
        }
    }

    @Override
    public void onStart(long nowNanos) {
        machine.onStart(nowNanos);
    }

    @Override
    public long nowNanos() {
        return machine.nowNanos();
    }

    @Override
    public void useMulticast(Multicast multicast) {
        machine.useMulticast(multicast);
    }

    @Override
    public boolean onMulticast(long nowNanos, Packet frame) {
        return machine.onMulticast(nowNanos, frame);
    }

    @Override
    public void onStranger(long nowNanos, String address) {
        machine.onStranger(nowNanos, address);
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        return machine.onAccepted(nowNanos, remote);
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        machine.onConnected(nowNanos, connection);
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        machine.onDialFailed(nowNanos, connection, failure, detail);
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        if (broken.contains(connection)) {
            frame.release();
            return;
        }
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(frame.offset(), bytes);
        byte[] changed = listener.onFrame(connection, bytes);
        if (changed == bytes) {
            lastFrames.remove(connection);
            lastFrames.put(connection, bytes);
            machine.onFrame(nowNanos, connection, frame);
            return;
        }
        frame.release();
        if (changed == null) {
            breakConnection(nowNanos, connection);
        } else {
            machine.onFrame(nowNanos, connection, packet(changed));
        }
    }

    /** Returns the frame in memory as a driver gives it, exactly as long as it is. */
    static Packet packet(byte[] frame) {
        Packet packet = Packet.of(dev.tutti.core.Memory.onHeap().acquire(Math.max(1, frame.length)), 0, 0);
        return packet.append(frame, 0, frame.length);
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        lastFrames.remove(connection);
        if (broken.add(connection)) {
            machine.onDisconnected(nowNanos, connection, isOrderly, detail);
        }
    }

    @Override
    public void onTimer(long nowNanos) {
        machine.onTimer(nowNanos);
    }

    @Override
    public long nextDeadline() {
        return machine.nextDeadline();
    }

    /** Runs the machine until it is quiet; its effects are carried out by the next {@link #drain}. */
    void drainEarly() {
        machine.drain(new Effects() {
            @Override
            public void dial(int connection, String address) {
                early.add(effects -> effects.dial(connection, address));
            }

            @Override
            public void write(int connection, Packet frame) {
                early.add(effects -> effects.write(connection, frame));
            }

            @Override
            public void close(int connection, String reason) {
                early.add(effects -> effects.close(connection, reason));
            }
        });
    }

    @Override
    public void drain(Effects effects) {
        early.forEach(effect -> effect.accept(effects));
        early.clear();
        machine.drain(effects);
        for (int connection : toClose) {
            effects.close(connection, "broken");
        }
        toClose.clear();
    }
}
