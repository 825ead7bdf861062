package dev.tutti.layers.fault;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;

/** Layer that makes packets late, loses and repeats them, and makes some up, as its own stream of randomness decides. */
final class Fault implements Layer {

    enum FaultTimer implements Timer {

        /** The first of the packets kept back is due. */
        DUE
    }

    /**
     * @param drop of 1,000
     * @param duplicate of 1,000
     * @param inject of 1,000
     * @param delayNanos longest delay; 0 for none
     */
    record Odds(int drop, int duplicate, int inject, long delayNanos) {}

    private record Late(Packet packet, long dueNanos) {}

    /** Packets of one sender that are kept back; beyond, the first of them arrives early. */
    static final int HELD_MAX = 256;

    /** Any layer above reads more than so many bytes, so that a packet of them is malformed whatever they are. */
    private static final int INJECTED_BYTES_MAX = 8;

    private final Odds odds;
    private final boolean isUnreliable;

    /** In the order of their arrival. */
    private final TreeMap<Member, ArrayDeque<Late>> held = new TreeMap<>();

    private long dropped;
    private long duplicated;
    private long injected;
    private long delayed;

    /** @param isUnreliable whether nobody promised that packets arrive */
    Fault(Odds odds, boolean isUnreliable) {
        this.odds = odds;
        this.isUnreliable = isUnreliable;
    }

    // ------------------------------------------------------------------ down

    @Override
    public void onSend(Packet packet, Outbox out) {
        if ((isUnreliable || packet.isExpendable()) && hits(odds.drop(), out)) {
            dropped++;
            out.drop(packet, DropReason.BY_LAYER);
            return;
        }
        if (packet.isExpendable() && hits(odds.duplicate(), out)) {
            duplicated++;
            out.send(packet.copy(out.memory()).inPlaceOf(packet));
        }
        out.send(packet);
    }

    private static boolean hits(int perThousand, Outbox out) {
        return perThousand > 0 && out.random().nextInt(1_000) < perThousand;
    }

    // ------------------------------------------------------------------ up

    @Override
    public void onReceive(Packet packet, Outbox out) {
        Member from = packet.peer();
        if (hits(odds.inject(), out)) {
            injected++;
            byte[] bytes = new byte[out.random().nextInt(INJECTED_BYTES_MAX + 1)];
            out.random().nextBytes(bytes);
            out.deliver(Packet.create(out.memory(), bytes.length).append(bytes, 0, bytes.length).withPeer(from));
        }
        if (odds.delayNanos() == 0 || from == null) {
            out.deliver(packet);
            return;
        }
        delayed++;
        ArrayDeque<Late> queue = held.computeIfAbsent(from, absent -> new ArrayDeque<>());
        long due = out.nowNanos() + out.random().nextLong(odds.delayNanos() + 1);
        queue.add(new Late(packet, queue.isEmpty() ? due : Math.max(due, queue.getLast().dueNanos())));
        if (queue.size() > HELD_MAX) {
            out.deliver(queue.remove().packet());
        }
        deliverDue(out);
    }

    private void deliverDue(Outbox out) {
        long next = Long.MAX_VALUE;
        for (ArrayDeque<Late> queue : held.values()) {
            while (!queue.isEmpty() && queue.element().dueNanos() <= out.nowNanos()) {
                out.deliver(queue.remove().packet());
            }
            next = queue.isEmpty() ? next : Math.min(next, queue.element().dueNanos());
        }
        held.values().removeIf(ArrayDeque::isEmpty);
        if (next < Long.MAX_VALUE) {
            out.arm(FaultTimer.DUE, next - out.nowNanos());
        }
    }

    @Override
    public List<FaultTimer> timers() {
        return List.of(FaultTimer.values());
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        deliverDue(out);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        if (signal instanceof Signal.Peer.Closed(Member member, boolean isGraceful, String reason)) {
            // With a session, what it has carried and was not yet processed is lost.
            ArrayDeque<Late> lost = held.remove(member);
            while (lost != null && !lost.isEmpty()) {
                dropped++;
                out.drop(lost.remove().packet(), DropReason.BY_LAYER);
            }
        }
        out.forward(signal);
    }

    @Override
    public void onStop() {
        for (ArrayDeque<Late> queue : held.values()) {
            queue.forEach(late -> late.packet().release());
        }
        held.clear();
    }

    @Override
    public void report(Report report) {
        report.put("dropped-packets", dropped);
        report.put("duplicated-packets", duplicated);
        report.put("injected-packets", injected);
        report.put("delayed-packets", delayed);
        report.put("held-packets", held.values().stream().mapToInt(ArrayDeque::size).sum());
    }
}
