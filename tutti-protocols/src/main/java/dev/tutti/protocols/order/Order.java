package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Receipt;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.reliability.Charge;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A layer between reliability and packing that delivers multicasts in another order than that of their arrival.
 *
 * <p>What members tell each other about the order are multicasts too. So they arrive in the order in which they were
 * sent, before and after the data of their sender, and a cut counts them: those who go together from one view to the next
 * have the same packets and know the same about their order, whoever has crashed. What has no place when the view ends
 * gets it by a rule, from what all of them have.
 *
 * <p>Nothing needs a bound of its own: what waits here fills the window of its sender. Unicasts pass through.
 */
abstract class Order implements Layer {

    /** The first byte of a header: a packet of the application. */
    static final int DATA = 0;

    /** The first byte of a header: says something about the order; which, the layer knows. */
    static final int CONTROL = 1;

    /** The first byte of a header: a packet of the application that has no place in the order. */
    static final int OUT_OF_BAND = 2;

    private static final Signal AGAIN = new Signal.Again();

    final Member self;
    private final int headerBytes;

    /** The members of the view, by rank. */
    Sender[] senders = new Sender[0];

    private Map<Member, Sender> senderOf = new HashMap<>();
    private Sender own;

    private boolean isFrozen;
    private boolean isLeaving;
    private boolean isNews;
    private boolean isAsked;

    /** What packing may send, before what this layer has sent of it. */
    private Signal.@Nullable Window window;

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

    /** Writes the header of a packet, but for its first byte. */
    abstract void stamp(Packet packet);

    /** What has to be said before the application's next packet. */
    void beforeData(Outbox out) {}

    /** A packet of the application has arrived, header included. It may be added to its sender. */
    abstract boolean onData(Sender sender, Packet packet);

    /**
     * What somebody has said about the order has arrived, header included.
     *
     * @return false if it can't be decoded, or says what it can't
     */
    abstract boolean onControl(Sender sender, Packet packet, Outbox out);

    /** All input has arrived: delivers what has its turn. */
    abstract void advance(Outbox out);

    /** Whether the others wait for this member to say something, should nothing be sent in this turn. */
    abstract boolean isAwaited();

    /** Says it. */
    abstract void speak(Outbox out);

    /** The view has ended: all that will arrive in it is here, the same at all who go together. Delivers the rest. */
    abstract void close(Outbox out);

    /** A new view has begun; {@link #senders} are its members. */
    abstract void begin();

    // ------------------------------------------------------------------ for the order

    Sender own() {
        return own;
    }

    boolean isSilent() {
        return isFrozen || isLeaving;
    }

    /** Sends a control packet, which has its header but for the first byte. */
    final void sendControl(Packet packet, Outbox out) {
        packet.prependByte(CONTROL);
        controlSent++;
        controlBytes += Charge.of(packet);
        out.send(packet);
        raiseWindow(out);
    }

    /** Delivers a packet with its header. */
    final void deliver(Packet packet, Outbox out) {
        packet.skip(headerBytes);
        out.deliver(packet);
    }

    /** A packet ends here, as if the application had consumed it. */
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
            // Whoever counts what was consumed has counted the header when it arrived.
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
                // What the application sends in this turn may say it.
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
            case Signal.Window(Member receiver, long limitBytes, Member waitsFor) when receiver == null -> {
                window = new Signal.Window(null, limitBytes, waitsFor);
                raiseWindow(out);
            }
            case Signal.Freeze(ViewId ballot) -> {
                isFrozen = true;
                out.raise(signal);
            }
            case Signal.Installed(View view, boolean isSteady) -> {
                close(out);
                own = enter(view.members());
                begin();
                isFrozen = !isSteady;
                isNews = false;
                isAsked = false;
                out.raise(signal);
            }
            case Signal.Leave() -> {
                // Each word more would have to be acknowledged first; the view without this member closes the order.
                isLeaving = true;
                out.lower(signal);
            }
            default -> out.forward(signal);
        }
    }

    private void raiseWindow(Outbox out) {
        Signal.Window total = window;
        if (total != null) {
            out.raise(new Signal.Window(null, total.limitBytes() - controlBytes, total.waitsFor()));
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
