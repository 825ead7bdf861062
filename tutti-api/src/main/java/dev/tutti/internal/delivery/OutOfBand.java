package dev.tutti.internal.delivery;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.protocols.packing.Records;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Delivers messages out of band to a listener, each packet on a virtual thread of its own. */
final class OutOfBand {

    private final String name;
    private final Host host;
    private final Fence guard;
    private final Calls calls;
    private final BiConsumer<Delivered, Calls.Call> listener;
    private final Consumer<Packet> unreadable;
    private final Consumer<Packet> done;

    /**
     * @param guard fence around the delivering threads
     * @param calls records the running callbacks
     * @param listener called from many threads, as are the other callbacks
     * @param unreadable takes packets that can't be decoded
     * @param done takes packets of which all messages are done
     */
    OutOfBand(
            String name,
            Host host,
            Fence guard,
            Calls calls,
            BiConsumer<Delivered, Calls.Call> listener,
            Consumer<Packet> unreadable,
            Consumer<Packet> done) {
        this.name = name;
        this.host = host;
        this.guard = guard;
        this.calls = calls;
        this.listener = listener;
        this.unreadable = unreadable;
        this.done = done;
    }

    /** @param in the installed view */
    public void start(Member sender, Packet packet, @Nullable View in) {
        host.start(name, () -> guard.call("delivery", () -> deliver(sender, packet, in)));
    }

    private void deliver(Member sender, Packet packet, @Nullable View in) {
        if (in == null) {
            throw new IllegalStateException("a message before the first view");
        }
        Receipt receipt = packet.receipt();
        boolean isUnicast = receipt != null && receipt.isUnicast();
        Delivered urgent = new Delivered.Ring().next();
        Calls.Call call = calls.open();
        try {
            boolean isReadable = Records.read(packet, new Records.Visitor() {
                @Override
                public void onMessage(ByteBuffer bytes, int offset, int length) {
                    urgent.begin(sender, in, isUnicast, bytes, offset, length);
                    listener.accept(urgent, call);
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
            done.accept(packet);
        }
    }
}
