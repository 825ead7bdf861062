package dev.tutti.internal.delivery;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.protocols.packing.Records;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Delivers messages out of band to a group's listener, each packet on a virtual thread of its own, past the queue. */
final class OutOfBandLane {

    private final String name;
    private final Host host;
    private final Fence guard;
    private final Callbacks callbacks;
    private final Consumption consumption;
    private final BooleanSupplier isHolding;
    private final Consumer<Packet> unreadable;

    /** View in which messages are delivered. Accessed on the loop only. */
    private @Nullable View installed;

    /**
     * @param guard fence around the delivering threads
     * @param isHolding tells whether all messages wait for the state of the group
     * @param unreadable takes packets that can't be decoded, from many threads
     */
    OutOfBandLane(
            String name,
            Host host,
            Fence guard,
            Callbacks callbacks,
            Consumption consumption,
            BooleanSupplier isHolding,
            Consumer<Packet> unreadable) {
        this.name = name;
        this.host = host;
        this.guard = guard;
        this.callbacks = callbacks;
        this.consumption = consumption;
        this.isHolding = isHolding;
        this.unreadable = unreadable;
    }

    void onView(View next) {
        installed = next;
    }

    /**
     * Delivers a packet and consumes it, unless messages wait for the state of the group. On the loop.
     *
     * @return whether it does; otherwise the packet stays the caller's
     */
    boolean deliver(Member sender, Packet packet) {
        // Counted first: either the thread that installs a state sees the packet, or this one sees that messages wait.
        consumption.startAside();
        if (isHolding.getAsBoolean()) {
            consumption.cancelAside();
            return false;
        }
        View in = installed;
        host.start(name, () -> guard.call("delivery", () -> deliver(sender, packet, in)));
        return true;
    }

    private void deliver(Member sender, Packet packet, @Nullable View in) {
        if (in == null) {
            throw new IllegalStateException("a message before the first view");
        }
        Receipt receipt = packet.receipt();
        boolean isUnicast = receipt != null && receipt.isUnicast();
        Delivered urgent = new Delivered.Ring().next();
        Calls calls = callbacks.calls();
        Calls.Call call = calls.open();
        try {
            boolean isReadable = Records.read(packet, new Records.Visitor() {
                @Override
                public void onMessage(ByteBuffer bytes, int offset, int length) {
                    urgent.begin(sender, in, isUnicast, bytes, offset, length);
                    callbacks.onMessageAside(urgent, call);
                    urgent.end();
                }

                @Override
                public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                    throw new IllegalStateException("a piece of a message out of band");
                }
            });
            if (!isReadable) {
                unreadable.accept(packet);
            }
        } finally {
            calls.close(call);
            consumption.consumeAside(packet);
        }
    }
}
