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
    private record ReceiveWindows(ReceiveWindow ofAll, ReceiveWindow ofOne) {

        static ReceiveWindows create(long windowBytes) {
            return new ReceiveWindows(new ReceiveWindow(false, windowBytes), new ReceiveWindow(true, windowBytes));
        }

        long backlogBytes() {
            return ofAll.backlogBytes() + ofOne.backlogBytes();
        }
    }

    private final Member self;
    private final long windowBytes;
    private View view;
    private Map<Member, ReceiveWindows> windowsOf = new HashMap<>();

    public BestEffort(Member self, long windowBytes) {
        this.self = self;
        this.windowBytes = windowBytes;
        this.view = View.alone(self);
        windowsOf.put(self, ReceiveWindows.create(windowBytes));
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
        ReceiveWindows windows = windowsOf.get(sender);
        if (windows == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (windows.backlogBytes() > windowBytes) {
            out.drop(packet, DropReason.OVERLOADED);
        } else {
            ReceiveWindow receiveWindow = isToOne ? windows.ofOne() : windows.ofAll();
            receiveWindow.onArrived(Charge.of(packet));
            out.deliver(packet.withPeer(sender).withReceipt(receiveWindow));
        }
    }

    @Override
    public void onConsumed(Packet packet, Outbox out) {
        if (packet.receipt() instanceof ReceiveWindow receiveWindow) {
            receiveWindow.onConsumed(Charge.of(packet));
        }
        out.consumed(packet);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.ViewChange.Flush(ViewId ballot, TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) ->
                out.lower(new Signal.ViewChange.Flushed(ballot));
            case Signal.ViewChange.Installed(View next, int version, boolean isSteady) -> {
                Map<Member, ReceiveWindows> nextWindowsOf = new HashMap<>();
                List<Member> receivers = new ArrayList<>();
                for (Member member : next.members()) {
                    ReceiveWindows present = windowsOf.get(member);
                    nextWindowsOf.put(member, present == null ? ReceiveWindows.create(windowBytes) : present);
                    receivers.add(member);
                }
                for (Member member : view.members()) {
                    if (!next.contains(member)) {
                        out.raise(new Signal.Flow.StreamReset(member, false));
                    }
                }
                view = next;
                windowsOf = nextWindowsOf;
                out.raise(new Signal.Flow.Window(null, Long.MAX_VALUE, null));
                for (Member receiver : receivers) {
                    out.raise(new Signal.Flow.Window(receiver, Long.MAX_VALUE, null));
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
            ReceiveWindows windows = windowsOf.get(member);
            if (windows != null) {
                Report pair = section.section(member.name());
                pair.put("address", member.node().address());
                pair.put("backlog-bytes", windows.backlogBytes());
            }
        }
    }
}
