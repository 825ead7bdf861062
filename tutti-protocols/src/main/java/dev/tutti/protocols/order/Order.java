package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.reliability.Charge;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Layer between reliability and packing that delivers multicasts in another order than that of their arrival.
 *
 * <p>Messages about the order are multicasts, too. So they arrive in the order in which they were sent, before and
 * after the data of their sender, and a cut counts them: members that go on together to the next view have the same
 * packets and the same knowledge about their order, even after crashes. Packets without a place when the view ends get
 * it by a rule, from the packets that all of them have.
 *
 * <p>No separate bound is needed: waiting packets fill the window of their sender. Unicasts pass through.
 */
abstract class Order implements Layer {

    /** First byte of a header: a packet of the application. */
    static final int DATA = 0;

    /** First byte of a header: a control packet about the order, defined by the layer. */
    static final int CONTROL = 1;

    /** First byte of a header: a packet of the application that has no place in the order. */
    static final int OUT_OF_BAND = 2;

    private static final Signal AGAIN = new Signal.Ordering.Again();

    final Member self;
    private final int headerBytes;

    /** Members of the view, by rank. */
    Sender[] senders = new Sender[0];

    private Map<Member, Sender> senderOf = new HashMap<>();
    private Sender own;

    private boolean isFrozen;
    private boolean isLeaving;
    private boolean isNews;
    private boolean isAsked;

    /** Window of packing, without the bytes that this layer has sent of it. */
    private Signal.Flow.@Nullable Window window;

    private long controlBytes;
    private long controlSent;

    Order(Member self, int headerBytes) {
        this.self = self;
        this.headerBytes = headerBytes;
        this.own = enter(List.of(self));
    }

    private Sender enter(List<Member> members) {
        senders = new Sender[members.size()];
        senderOf = new HashMap<>();
        for (int rank = 0; rank < senders.length; rank++) {
            senders[rank] = new Sender(members.get(rank), rank);
            senderOf.put(members.get(rank), senders[rank]);
        }
        Sender found = senderOf.get(self);
        if (found == null) {
            throw new IllegalStateException(self + " is not among " + members);
        }
        return found;
    }

    // ------------------------------------------------------------------ what an order is

    /** Writes the header of a packet, except its first byte. */
    abstract void stamp(Packet packet);

    /** Sends control packets that must precede the application's next packet. */
    void beforeData(Outbox out) {}

    /** Takes a packet of the application, including its header. It may be added to its sender. */
    abstract boolean onData(Sender sender, Packet packet);

    /**
     * Takes a control packet about the order, including its header.
     *
     * @return false if it can't be decoded, or is implausible
     */
    abstract boolean onControl(Sender sender, Packet packet, Outbox out);

    /** Delivers the packets whose turn has come, after all input has arrived. */
    abstract void advance(Outbox out);

    /** Returns whether the others need a control packet of this member if it sends nothing else in this turn. */
    abstract boolean isAwaited();

    /** Sends the control packet for which the others wait. */
    abstract void speak(Outbox out);

    /** Delivers the rest of a view that has ended. All members that go on together have the same packets. */
    abstract void close(Outbox out);

    /** Begins a new view; {@link #senders} are its members. */
    abstract void begin();

    // ------------------------------------------------------------------ for the order

    Sender own() {
        return own;
    }

    boolean isSilent() {
        return isFrozen || isLeaving;
    }

    /** Sends a control packet, which has its header except the first byte. */
    final void sendControl(Packet packet, Outbox out) {
        packet.prependByte(CONTROL);
        controlSent++;
        controlBytes += Charge.of(packet);
        out.send(packet);
        raiseWindow(out);
    }

    /** Delivers a packet, after taking its header off. */
    final void deliver(Packet packet, Outbox out) {
        packet.skip(headerBytes);
        out.deliver(packet);
    }

    /** Drops a packet, as if the application had consumed it. */
    static void refuse(Packet packet, DropReason reason, Outbox out) {
        out.drop(packet.slice(), reason);
        out.consumed(packet);
    }

    // ------------------------------------------------------------------ down

    @Override
    public final void onSend(Packet packet, Outbox out) {
        if (packet.peer() == null && packet.isOutOfBand()) {
            for (int index = 1; index < headerBytes; index++) {
                packet.prependByte(0);
            }
            packet.prependByte(OUT_OF_BAND);
        } else if (packet.peer() == null) {
            beforeData(out);
            stamp(packet);
            packet.prependByte(DATA);
        }
        out.send(packet);
    }

    @Override
    public final void onConsumed(Packet packet, Outbox out) {
        Receipt receipt = packet.receipt();
        if (receipt != null && !receipt.isUnicast()) {
            // The layer that counts consumed bytes has counted the header on arrival.
            packet.untake(headerBytes);
        }
        out.consumed(packet);
    }

    // ------------------------------------------------------------------ up

    @Override
    public final void onReceive(Packet packet, Outbox out) {
        Receipt receipt = packet.receipt();
        if (receipt == null || receipt.isUnicast()) {
            out.deliver(packet);
            return;
        }
        Member from = packet.peer();
        Sender sender = from == null ? null : senderOf.get(from);
        if (sender == null || packet.length() < headerBytes) {
            refuse(packet, DropReason.MALFORMED, out);
            return;
        }
        isNews = true;
        boolean isUnderstood =
                switch (packet.bytes().get(packet.offset())) {
                    case DATA -> onData(sender, packet);
                    case CONTROL -> onControl(sender, packet, out);
                    case OUT_OF_BAND -> {
                        deliver(packet, out);
                        yield true;
                    }
                    default -> false;
                };
        if (!isUnderstood) {
            refuse(packet, DropReason.MALFORMED, out);
        }
    }

    @Override
    public final void onTurnEnd(Outbox out) {
        if (isNews) {
            isNews = false;
            advance(out);
            isAsked = !isSilent() && isAwaited();
            if (isAsked) {
                // A message that the application sends in this turn may make it unnecessary.
                out.raise(AGAIN);
            }
        } else if (isAsked) {
            isAsked = false;
            if (!isSilent() && isAwaited()) {
                speak(out);
            }
        }
    }

    @Override
    public final void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.Flow.Window(Member receiver, long limitBytes, Member waitsFor) when receiver == null -> {
                window = new Signal.Flow.Window(null, limitBytes, waitsFor);
                raiseWindow(out);
            }
            case Signal.ViewChange.Freeze(ViewId ballot) -> {
                isFrozen = true;
                out.raise(signal);
            }
            case Signal.ViewChange.Installed(View view, int version, boolean isSteady) -> {
                close(out);
                own = enter(view.members());
                begin();
                isFrozen = !isSteady;
                isNews = false;
                isAsked = false;
                out.raise(signal);
            }
            case Signal.Departure.Leave() -> {
                // More control packets would need acknowledgements. The view without this member closes the order.
                isLeaving = true;
                out.lower(signal);
            }
            default -> out.forward(signal);
        }
    }

    private void raiseWindow(Outbox out) {
        Signal.Flow.Window total = window;
        if (total != null) {
            out.raise(new Signal.Flow.Window(null, total.limitBytes() - controlBytes, total.waitsFor()));
        }
    }

    @Override
    public void onStop() {
        for (Sender sender : senders) {
            while (sender.queued() > 0) {
                sender.take().release();
            }
        }
    }

    @Override
    public void report(Report report) {
        Report section = report.section("order");
        section.put("control-sent", controlSent);
        long queued = 0;
        for (Sender sender : senders) {
            queued += sender.queued();
        }
        section.put("waiting-packets", queued);
    }
}
