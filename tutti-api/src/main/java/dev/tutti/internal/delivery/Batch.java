package dev.tutti.internal.delivery;

import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages in order that are given to the listener together, and the packets that they lie in: these are consumed when the listener has returned, so
 * that waiting messages fill the window of their sender. For the delivery thread.
 */
final class Batch {

    /** Most messages that are given at a time. */
    static final int MESSAGES_MAX = 1_000;

    /** Bytes of packets from which on no further one is kept. */
    static final int BYTES_MAX = 1 << 20;

    private final Consumer<List<Message>> listener;
    private final Callbacks callbacks;
    private final Consumption consumption;
    private final List<Delivered> messages = new ArrayList<>();
    private final List<Packet> packets = new ArrayList<>();
    private Delivered.Ring ring = new Delivered.Ring();
    private long bytes;

    Batch(Consumer<List<Message>> listener, Callbacks callbacks, Consumption consumption) {
        this.listener = listener;
        this.callbacks = callbacks;
        this.consumption = consumption;
    }

    boolean isEmpty() {
        return messages.isEmpty() && packets.isEmpty();
    }

    /** Returns whether it is to be given before a further packet is added. */
    boolean isFull() {
        return bytes >= BYTES_MAX;
    }

    /** Returns the sender of the first message; null if there is none. */
    @Nullable Member sender() {
        return messages.isEmpty() ? null : messages.getFirst().sender();
    }

    /** Adds a message; gives those that are there if they are many. */
    void add(Member sender, View in, boolean isUnicast, ByteBuffer memory, int offset, int length) {
        Delivered message = new Delivered(ring);
        message.begin(sender, in, isUnicast, memory, offset, length);
        messages.add(message);
        if (messages.size() >= MESSAGES_MAX) {
            give();
        }
    }

    /** Keeps the packet that the last messages lie in. */
    void keep(Packet packet) {
        packets.add(packet);
        bytes += packet.length();
    }

    /** Gives the messages to the listener, and consumes their packets. */
    void give() {
        try {
            if (!messages.isEmpty()) {
                callbacks.onMessages(listener, List.copyOf(messages));
            }
        } finally {
            messages.forEach(Delivered::end);
            messages.clear();
            // One that a listener has kept belongs to no message for good.
            ring = new Delivered.Ring();
            packets.forEach(consumption::consume);
            packets.clear();
            bytes = 0;
        }
    }
}
