package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Layer that delivers packets in the view they were sent in, at most once, for values of which the next one replaces
 * the last. Takes the place of {@link Reliability} in a stack; views are as in any group.
 *
 * <p>Nothing is repeated. A receiver that does not keep up loses packets that arrive while a window of them waits.
 */
public final class BestEffort implements Layer {

    /** Streams of one member, to all and to this one: both may carry large messages in pieces at the same time. */
    private record Inflows(Inflow ofAll, Inflow ofOne) {

        static Inflows create(long windowBytes) {
            return new Inflows(new Inflow(false, windowBytes), new Inflow(true, windowBytes));
        }

        long backlogBytes() {
            return ofAll.backlogBytes() + ofOne.backlogBytes();
        }
    }

    private final Member self;
    private final long windowBytes;
    private View view;
    private Map<Member, Inflows> inflowsOf = new HashMap<>();

    public BestEffort(Member self, long windowBytes) {
        this.self = self;
        this.windowBytes = windowBytes;
        this.view = View.alone(self);
        inflowsOf.put(self, Inflows.create(windowBytes));
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        Member receiver = packet.peer();
        if (receiver == null || receiver.equals(self)) {
            deliver(self, packet.slice(), receiver != null, out);
        }
        if (self.equals(receiver) || view.size() == 1) {
            packet.release();
            return;
        }
        packet.prependByte(receiver == null ? 0 : 1);
        Wire.prependTag(packet, view.id());
        out.send(packet);
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        long number = packet.takeLong();
        int attempt = packet.takeInt();
        long incarnation = packet.takeLong();
        int join = packet.takeInt();
        boolean isToOne = packet.takeBoolean();
        ViewId id = view.id();
        Member from = packet.peer();
        if (packet.isMalformed() || from == null) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (number != id.number()
                || attempt != id.attempt()
                || incarnation != id.proposer().node().incarnation()
                || join != id.proposer().join()) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else {
            deliver(from, packet, isToOne, out);
        }
    }

    private void deliver(Member sender, Packet packet, boolean isToOne, Outbox out) {
        Inflows inflows = inflowsOf.get(sender);
        if (inflows == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (inflows.backlogBytes() > windowBytes) {
            out.drop(packet, DropReason.OVERLOADED);
        } else {
            Inflow inflow = isToOne ? inflows.ofOne() : inflows.ofAll();
            inflow.onArrived(Charge.of(packet));
            out.deliver(packet.withPeer(sender).withReceipt(inflow));
        }
    }

    @Override
    public void onConsumed(Packet packet, Outbox out) {
        if (packet.receipt() instanceof Inflow inflow) {
            inflow.onConsumed(Charge.of(packet));
        }
        out.consumed(packet);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.Reach(ViewId ballot, TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) ->
                out.lower(new Signal.Reached(ballot));
            case Signal.Installed(View next, boolean isSteady) -> {
                Map<Member, Inflows> nextInflowsOf = new HashMap<>();
                List<Member> receivers = new ArrayList<>();
                for (Member member : next.members()) {
                    Inflows present = inflowsOf.get(member);
                    nextInflowsOf.put(member, present == null ? Inflows.create(windowBytes) : present);
                    receivers.add(member);
                }
                for (Member member : view.members()) {
                    if (!next.contains(member)) {
                        out.raise(new Signal.StreamReset(member, false));
                    }
                }
                view = next;
                inflowsOf = nextInflowsOf;
                out.raise(new Signal.Window(null, Long.MAX_VALUE, null));
                for (Member receiver : receivers) {
                    out.raise(new Signal.Window(receiver, Long.MAX_VALUE, null));
                }
                out.raise(signal);
            }
            default -> out.forward(signal);
        }
    }

    @Override
    public void report(Report report) {
        Report section = report.section("best-effort");
        section.put("window-bytes", windowBytes);
        for (Member member : view.members()) {
            Inflows inflows = inflowsOf.get(member);
            if (inflows != null) {
                Report pair = section.section(member.name());
                pair.put("address", member.node().address());
                pair.put("backlog-bytes", inflows.backlogBytes());
            }
        }
    }
}
