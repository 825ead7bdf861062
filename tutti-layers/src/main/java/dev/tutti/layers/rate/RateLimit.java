package dev.tutti.layers.rate;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import dev.tutti.protocols.packing.Records;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Layer that tells the one above it what it may take of the application's messages. It holds no packet, so a view change
 * finds none on its way.
 */
final class RateLimit implements Layer {

    enum RateTimer implements Timer {

        /** An overdrawn budget is paid. */
        PAID
    }

    private static final String REASON = "the rate of this member is limited (layer rate-limit)";

    /** Counts the messages of a packet; one that is larger than a packet counts with its first piece. */
    private static final class Counting implements Records.Visitor {

        private long messages;

        @Override
        public void onMessage(ByteBuffer bytes, int offset, int length) {
            messages++;
        }

        @Override
        public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
            messages += piece.at() == 0 ? 1 : 0;
        }
    }

    private final Budget bytes;
    private final Budget messages;
    private final Counting counting = new Counting();
    private boolean isNews;
    private long sentBytes;
    private long pauses;

    RateLimit(Budget bytes, Budget messages) {
        this.bytes = bytes;
        this.messages = messages;
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        long before = counting.messages;
        // What is no message, such as a piece of the application's state, counts its bytes only.
        Records.read(packet, counting);
        sentBytes += packet.length();
        bytes.spend(packet.length(), out.nowNanos());
        messages.spend(counting.messages - before, out.nowNanos());
        isNews = true;
        out.send(packet);
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        out.deliver(packet);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        if (signal instanceof Signal.ViewChange.Installed) {
            // Before the first packet of the first view.
            allow(out);
        }
        out.forward(signal);
    }

    @Override
    public void onTurnEnd(Outbox out) {
        if (isNews) {
            isNews = false;
            allow(out);
        }
    }

    @Override
    public List<RateTimer> timers() {
        return List.of(RateTimer.values());
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        allow(out);
    }

    private void allow(Outbox out) {
        long now = out.nowNanos();
        // Only a packet tells how many messages it has: one at a time while they are limited.
        long packets = messages.left(now) == 0 ? 0 : messages.isLimited() ? 1 : Long.MAX_VALUE;
        long allowed = Math.min(bytes.left(now), packets);
        if (allowed == 0) {
            pauses += out.isArmed(RateTimer.PAID) ? 0 : 1;
            out.arm(RateTimer.PAID, Math.max(bytes.waitNanos(now), messages.waitNanos(now)));
        }
        out.raise(new Signal.Flow.Allowance(allowed, REASON));
    }

    @Override
    public void report(Report report) {
        report.put("sent-bytes", sentBytes);
        report.put("sent-messages", counting.messages);
        report.put("pauses", pauses);
    }
}
