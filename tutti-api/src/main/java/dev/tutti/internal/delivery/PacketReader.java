package dev.tutti.internal.delivery;

import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.internal.Fence;
import dev.tutti.protocols.packing.Assemblies;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.packing.SpareArrays;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts packets into messages, and passes these to the listener in order or to the lanes of their scopes. Pieces of large
 * messages are assembled. For the delivery thread.
 */
final class PacketReader implements Records.Visitor {

    private final Callbacks callbacks;
    private final Fence fence;
    private final Consumer<Message> listener;
    private final Consumption consumption;

    private final ScopeLanes scopes;
    private final boolean isInline;
    private final SpareArrays spares;
    private final Assemblies assemblies;
    private final Consumer<Packet> unreadable;

    /** Null if the listener takes messages one by one. */
    private final @Nullable Batch batch;

    private final Delivered.Ring ring = new Delivered.Ring();
    private @Nullable View view;
    private @Nullable Packet current;
    private boolean isCopy;

    /** The use of the current packet by scopes; null before its first message in one. */
    private ScopeLanes.@Nullable Use use;

    /**
     * @param isInline whether messages in scopes are passed to the listener, too
     * @param spares spare arrays, which assembled messages are given back to
     * @param unreadable takes packets that can't be decoded; they are consumed in any case
     */
    PacketReader(
            Callbacks callbacks,
            Consumption consumption,
            ScopeLanes scopes,
            boolean isInline,
            SpareArrays spares,
            Assemblies assemblies,
            Consumer<Packet> unreadable) {
        this.callbacks = callbacks;
        this.fence = callbacks.fence();
        this.listener = callbacks.messageListener();
        this.consumption = consumption;
        this.scopes = scopes;
        this.isInline = isInline;
        this.spares = spares;
        this.assemblies = assemblies;
        this.unreadable = unreadable;
        Consumer<List<Message>> together = callbacks.messagesListener();
        this.batch = together == null ? null : new Batch(together, callbacks, consumption);
    }

    /** Returns the sender of the first message that waits to be given to the listener with others; null if there is none. */
    @Nullable Member waitingSender() {
        return batch == null ? null : batch.sender();
    }

    /** Returns whether messages, or packets without any, wait to be given to the listener together. */
    boolean isGathering() {
        return batch != null && !batch.isEmpty();
    }

    /** Returns whether that is to be done before a further packet is read. */
    boolean isFull() {
        return batch != null && batch.isFull();
    }

    /** Gives the listener the messages that wait. */
    void give() {
        if (batch != null) {
            batch.give();
        }
    }

    /**
     * Notes the view that the next packets belong to.
     *
     * @return the view with the changes since the former one, as listeners are told it
     */
    View startView(View next) {
        View former = view;
        View told = former == null ? next : next.after(former);
        view = told;
        assemblies.startView(next);
        return told;
    }

    /**
     * Passes on the messages of a packet, and consumes it once all of them are done; see {@link #isGathering}.
     *
     * @param isHeld whether it is a copy of a packet that was consumed on arrival
     */
    void read(Packet packet, boolean isHeld) {
        current = packet;
        isCopy = isHeld;
        try {
            if (!Records.read(packet, this)) {
                unreadable.accept(packet);
            }
        } finally {
            current = null;
            ScopeLanes.Use scoped = use;
            Batch open = batch;
            if (scoped != null) {
                use = null;
                if (!isHeld) {
                    consumption.startAside();
                }
                scopes.release(scoped);
                consumption.count(packet);
            } else if (isHeld) {
                // The copy is not kept.
                give();
            } else if (open != null && !open.isEmpty()) {
                open.keep(packet);
            } else {
                consumption.consume(packet);
            }
        }
    }

    /**
     * Passes a message to the listener. Not through {@link Callbacks}: at the depth of one call more the JIT does not inline the
     * listener, so that the buffers it asks for are allocated.
     */
    @Override
    public void onMessage(ByteBuffer bytes, int offset, int length) {
        Packet packet = current;
        View in = view;
        if (packet == null || in == null) {
            throw new IllegalStateException("a message before the first view");
        }
        Member sender = packet.peer();
        Receipt receipt = packet.receipt();
        if (sender == null) {
            throw new IllegalStateException("a message without a sender");
        }
        if (!callbacks.startMessage()) {
            return;
        }
        boolean isUnicast = receipt != null && receipt.isUnicast();
        if (batch != null) {
            batch.add(sender, in, isUnicast, bytes, offset, length);
            return;
        }
        Delivered message = ring.next();
        message.begin(sender, in, isUnicast, bytes, offset, length);
        fence.callForMessage("onMessage", listener, message);
        message.end();
    }

    @Override
    public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
        ByteBuffer whole = assemble(bytes, offset, length, piece);
        if (whole != null) {
            onMessage(whole, 0, whole.limit());
            // Its memory is given back.
            give();
            spares.give(whole.array());
        }
    }

    @Override
    public void onScoped(ByteBuffer bytes, int offset, int length, int scope) {
        if (isInline) {
            onMessage(bytes, offset, length);
        } else {
            passScoped(bytes, offset, length, scope, false);
        }
    }

    @Override
    public void onScopedPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece, int scope) {
        ByteBuffer whole = assemble(bytes, offset, length, piece);
        if (whole == null) {
            return;
        }
        if (isInline) {
            onMessage(whole, 0, whole.limit());
            give();
        } else {
            passScoped(whole, 0, whole.limit(), scope, true);
        }
        spares.give(whole.array());
    }

    private @Nullable ByteBuffer assemble(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
        Packet packet = current;
        Receipt receipt = packet == null ? null : packet.receipt();
        if (packet == null || receipt == null) {
            return null;
        }
        Member sender = packet.peer();
        if (sender == null) {
            throw new IllegalStateException("a piece without a sender");
        }
        if (assemblies.isTooLarge(piece)) {
            throw new IllegalStateException("a message of " + piece.total() + " bytes from " + sender
                    + " is longer than message-bytes-max, which is " + assemblies.messageBytesMax()
                    + " bytes here; it can't be delivered");
        }
        return assemblies.add(sender, receipt, bytes, offset, length, piece);
    }

    private void passScoped(ByteBuffer bytes, int offset, int length, int scope, boolean isAlone) {
        Packet packet = current;
        View in = view;
        Member sender = packet == null ? null : packet.peer();
        if (packet == null || in == null || sender == null) {
            throw new IllegalStateException("a message without a sender or before the first view");
        }
        ScopeLanes.Use scoped = use;
        if (scoped == null) {
            scoped = new ScopeLanes.Use(isCopy ? null : packet);
            use = scoped;
        }
        Receipt receipt = packet.receipt();
        boolean isUnicast = receipt != null && receipt.isUnicast();
        scopes.add(sender, in, isUnicast, scope, bytes, offset, length, scoped, isAlone);
    }
}
