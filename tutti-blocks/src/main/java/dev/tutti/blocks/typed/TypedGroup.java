package dev.tutti.blocks.typed;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Scope;
import dev.tutti.SendOptions;
import dev.tutti.Stability;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.codec.TooLongException;
import dev.tutti.blocks.internal.Buffers;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A group whose messages are values of one type: records, for example, whose codec is {@code Codec.of(Order.class)}. Its guarantees, threads and
 * exceptions are those of {@link Group}. All members use the same codec.
 *
 * <p>A value that the codec can't write is refused by the send, with the codec's exception. A message that the codec can't read is passed over: it
 * is counted and reported as an exception of {@code onMessage}, with its sender, and {@link #malformed} counts it.
 *
 * @param <T> the values
 */
public final class TypedGroup<T> implements AutoCloseable {

    private final Group group;
    private final Codec<T> codec;
    private final Buffers buffers = new Buffers();
    private final AtomicLong malformed = new AtomicLong();

    TypedGroup(Group group, Codec<T> codec) {
        this.group = group;
        this.codec = codec;
    }

    /** Returns a builder for a group that is still to be joined. Its listeners are set there. */
    public static <T> TypedGroupBuilder<T> on(GroupBuilder group, Codec<T> codec) {
        return new TypedGroupBuilder<>(Arguments.required(group, "on: the group"), Arguments.required(codec, "on: the codec"));
    }

    /** Returns a builder for a group with values of a record, an enum or a sealed type, see {@link Codec#of(Class)}. */
    public static <T> TypedGroupBuilder<T> on(GroupBuilder group, Class<T> type) {
        return on(group, Codec.of(type));
    }

    /** Returns the group, for settings, progress and inspection; what is sent in it directly is no value. */
    public Group group() {
        return group;
    }

    public Member self() {
        return group.self();
    }

    /** Returns the view that was installed last; listeners may still be at an earlier one. */
    public View view() {
        return group.view();
    }

    /** Returns the number of messages that the codec could not read. */
    public long malformed() {
        return malformed.get();
    }

    // ------------------------------------------------------------------ sending

    /** Sends a value to all members, this one included, as {@link Group#send(byte[])} does. */
    public void send(T value) {
        ByteOutput bytes = write(value);
        // The group copies the range before it returns.
        group.send(bytes.array(), 0, bytes.length());
        buffers.giveBack(bytes);
    }

    /** Sends a value to all members, with options, as {@link Group#send(byte[], SendOptions)} does. */
    public void send(T value, SendOptions options) {
        group.send(copy(value), options);
    }

    /** Sends a value to one member, as {@link Group#sendTo(Member, byte[])} does. */
    public void sendTo(Member receiver, T value) {
        group.sendTo(receiver, copy(value));
    }

    /** Sends a value to one member, in order with other values to it in this scope only. */
    public void sendTo(Member receiver, T value, Scope scope) {
        group.sendTo(receiver, copy(value), scope);
    }

    /** Sends a value to all members if that is possible at once. Otherwise {@link Group#waitsFor} gives the reason. */
    public boolean trySend(T value) {
        ByteOutput bytes = write(value);
        boolean isSent = group.trySend(bytes.array(), 0, bytes.length());
        buffers.giveBack(bytes);
        return isSent;
    }

    /** Sends a value to all members, with options, if that is possible at once. */
    public boolean trySend(T value, SendOptions options) {
        return group.trySend(copy(value), options);
    }

    /** Sends a value to all members when that is possible; completes when it is accepted. */
    public CompletableFuture<Void> sendAsync(T value) {
        return group.sendAsync(copy(value));
    }

    /** Sends a value to one member when that is possible; completes when it is accepted. */
    public CompletableFuture<Void> sendToAsync(Member receiver, T value) {
        return group.sendToAsync(receiver, copy(value));
    }

    /** Sends a value to all members, and gives a receipt as {@link Group#sendStable(byte[], Stability)} does. */
    public CompletableFuture<Delivery> sendStable(T value, Stability stability) {
        return group.sendStable(copy(value), stability);
    }

    /** Sends a value to all members, with options, and gives a receipt. */
    public CompletableFuture<Delivery> sendStable(T value, SendOptions options, Stability stability) {
        return group.sendStable(copy(value), options, stability);
    }

    /** Sends a value to one member, and gives a receipt as {@link Group#sendStableTo} does. */
    public CompletableFuture<Delivery> sendStableTo(Member receiver, T value) {
        return group.sendStableTo(receiver, copy(value));
    }

    private byte[] copy(T value) {
        ByteOutput bytes = write(value);
        byte[] copy = bytes.copy();
        buffers.giveBack(bytes);
        return copy;
    }

    /** @throws TooLongException if the value has more bytes than an array may have */
    private ByteOutput write(T value) {
        ByteOutput bytes = buffers.take(Integer.MAX_VALUE);
        codec.put(value, bytes);
        return bytes;
    }

    /** @throws MalformedException if the message is no value */
    T read(Message message) {
        try {
            ByteInput in = new ByteInput(message.buffer());
            T value = codec.take(in);
            in.end();
            return value;
        } catch (MalformedException e) {
            malformed.incrementAndGet();
            throw new MalformedException("a message of " + message.sender() + " is no value of this group: " + e.getMessage());
        }
    }

    /** Leaves the group, as {@link Group#close} does. Idempotent. */
    @Override
    public void close() {
        group.close();
    }

    @Override
    public String toString() {
        return "typed " + group;
    }
}
