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
 * Packets that are delivered in the view they were sent in, once or not at all: for figures of which the next one replaces
 * the last. Takes the place of {@link Reliability} in a stack; views are as in any group.
 *
 * <p>Nothing is repeated. A receiver that does not keep up loses what comes while a window of packets waits for it.
 */
public final class BestEffort implements Layer {

    private final Member self;
    private final long windowBytes;
    private View view;
    private Map<Member, Inflow> inflowOf = new HashMap<>();

    public BestEffort(Member self, long windowBytes) {
        this.self = self;
        this.windowBytes = windowBytes;
        this.view = View.alone(self);
        inflowOf.put(self, new Inflow(false, windowBytes));
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        Member receiver = packet.peer();
        if (receiver == null || receiver.equals(self)) {
            deliver(self, packet.slice(), out);
        }
        if (self.equals(receiver) || view.size() == 1) {
            packet.release();
            return;
        }
        Wire.prependTag(packet, view.id());
        out.send(packet);
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        long number = packet.takeLong();
        int attempt = packet.takeInt();
        long incarnation = packet.takeLong();
        int join = packet.takeInt();
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
            deliver(from, packet, out);
        }
    }

    private void deliver(Member sender, Packet packet, Outbox out) {
        Inflow inflow = inflowOf.get(sender);
        if (inflow == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (inflow.backlogBytes() > windowBytes) {
            out.drop(packet, DropReason.OVERLOADED);
        } else {
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
                Map<Member, Inflow> nextInflowOf = new HashMap<>();
                List<Member> receivers = new ArrayList<>();
                for (Member member : next.members()) {
                    Inflow present = inflowOf.get(member);
                    nextInflowOf.put(member, present == null ? new Inflow(false, windowBytes) : present);
                    receivers.add(member);
                }
                for (Member member : view.members()) {
                    if (!next.contains(member)) {
                        out.raise(new Signal.StreamReset(member, false));
                    }
                }
                view = next;
                inflowOf = nextInflowOf;
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
            Inflow inflow = inflowOf.get(member);
            if (inflow != null) {
                Report pair = section.section(member.toString());
                pair.put("address", member.node().address());
                pair.put("backlog-bytes", inflow.backlogBytes());
            }
        }
    }
}
