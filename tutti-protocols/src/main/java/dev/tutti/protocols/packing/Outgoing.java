package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Packs messages as they are submitted: small ones are copied into the waiting packet, large ones into memory of their
 * own, and still larger ones stay in the caller's array until the window takes them piece by piece.
 *
 * <p>Not thread-safe; an application with threads puts a lock around it. A message that fits into a packet is never
 * split, so that only a large one can be half sent when a view changes, and that one is still available to be resent.
 */
public final class Outgoing implements Submissions {

    /**
     * Queue of one receiver: packets and large messages, in order; packets out of band, which go before these; and
     * packets about the state, which go first.
     */
    private static final class Queue {
        private final ArrayDeque<Object> entries = new ArrayDeque<>();
        /** Last of the entries, if it is a packet with room. */
        private @Nullable Packet tail;

        private final ArrayDeque<Packet> outOfBand = new ArrayDeque<>();
        private @Nullable Packet outOfBandTail;
        private final ArrayDeque<Packet> state = new ArrayDeque<>();

        boolean isEmpty() {
            return entries.isEmpty() && outOfBand.isEmpty() && state.isEmpty();
        }
    }

    /**
     * Messages like its first for which a packet has room if it begins while nothing waits; later ones are full-size.
     * Packets are kept until stable: thousands at a modest rate, so that larger ones would waste memory.
     */
    private static final int FIRST_PACKET_MESSAGES = 3;

    private static final int FIRST_PACKET_BYTES_MIN = 384;

    /** Longest message that is copied. */
    private static final int COPY_MAX = 256 * 1024;

    private final Memory memory;
    private final SpareArrays spares;
    private final long bytesMax;
    private final PacketSizes sizes;
    private final LinkedHashMap<@Nullable Member, Queue> queues = new LinkedHashMap<>();
    private long bytes;
    private long discardedBytes;
    private int largeOffered;
    private long largeTaken;
    private long refusedLater;
    private final MessageLimits limits = new MessageLimits();
    private long shareBytes = Long.MAX_VALUE;
    private String waitsFor = "";
    private @Nullable Member closedBy;

    /** Packet or large message that holds the message offered last; see {@link #ask}. */
    private @Nullable Object offered;

    private long tickets;
    private LongConsumer unsent = ticket -> {};

    /**
     * @param bytesMax of copied messages that may wait, for all receivers together
     */
    public Outgoing(Memory memory, long bytesMax) {
        this(memory, bytesMax, PacketSizes.STREAM);
    }

    /** Creates a queue that copies large messages into memory that is not reused. */
    public Outgoing(Memory memory, long bytesMax, PacketSizes sizes) {
        this(memory, new SpareArrays(0), bytesMax, sizes);
    }

    /**
     * @param spares for copies of large messages
     * @param bytesMax of copied messages that may wait, for all receivers together
     */
    public Outgoing(Memory memory, SpareArrays spares, long bytesMax, PacketSizes sizes) {
        this.sizes = sizes;
        this.memory = memory;
        this.spares = spares;
        this.bytesMax = bytesMax;
    }

    // ------------------------------------------------------------------ the application's side

    /** Returns whether a message of this length fits into a packet. */
    public boolean isSmall(int length) {
        return length <= sizes.wholeBytes();
    }

    /** Returns whether to submit this length with {@link #offer}, not {@link #offerLarge}. */
    public static boolean isCopied(int length) {
        return length <= COPY_MAX;
    }

    /**
     * Asks for a receipt of the message that was offered last. It must not have been taken yet.
     *
     * @return the ticket of the packet that it ends in, which several small messages share; see {@link Packet#ticket}
     */
    public long ask() {
        return switch (offered) {
            case Packet packet -> {
                if (packet.ticket() == 0) {
                    packet.withTicket(++tickets);
                }
                yield packet.ticket();
            }
            case LargeMessage large -> {
                large.withTicket(++tickets);
                yield tickets;
            }
            case null, default -> throw new IllegalStateException("no message was offered: " + offered);
        };
    }

    /** Sets the receiver of the tickets of packets that will never be sent. */
    public void tellUnsent(LongConsumer unsent) {
        this.unsent = unsent;
    }

    private void tellUnsent(long ticket) {
        if (ticket != 0) {
            unsent.accept(ticket);
        }
    }

    /** Copies a message without marks. */
    public boolean offer(@Nullable Member receiver, byte[] source, int offset, int length) {
        return offer(receiver, source, offset, length, Marks.NONE);
    }

    /**
     * Copies a message, a small one into the waiting packet. One out of band overtakes waiting ones, and has to be small.
     *
     * @param receiver null for all members
     * @return false if too much waits already
     */
    public boolean offer(@Nullable Member receiver, byte[] source, int offset, int length, Marks marks) {
        if (!marks.isOutOfBand() && length > sizes.wholeBytes() - marks.scopeBytes()) {
            return offerCopy(receiver, source, offset, length, marks);
        }
        if (bytes + length > bytesMax && bytes > 0) {
            return false;
        }
        Queue queue = queues.computeIfAbsent(receiver, key -> new Queue());
        int needed = Records.LENGTH_BYTES + marks.scopeBytes() + length;
        Packet packet = marks.isOutOfBand() ? outOfBandTail(queue, needed, marks) : tail(queue, needed, marks);
        packet.appendInt(length);
        Integer scope = marks.scope();
        if (scope != null) {
            packet.appendInt(scope);
        }
        packet.append(source, offset, length);
        offered = packet;
        bytes += needed;
        return true;
    }

    private Packet tail(Queue queue, int needed, Marks marks) {
        Packet packet = queue.tail;
        if (packet == null || !fits(packet, needed, marks)) {
            packet = Packet.create(memory, size(queue.entries.isEmpty(), needed)).appendByte(marks.wholeKind());
            queue.entries.add(packet);
            queue.tail = packet;
        }
        return packet;
    }

    private Packet outOfBandTail(Queue queue, int needed, Marks marks) {
        Packet packet = queue.outOfBandTail;
        if (packet == null || !fits(packet, needed, marks)) {
            packet = Packet.create(memory, size(queue.isEmpty(), needed)).appendByte(marks.wholeKind()).markOutOfBand();
            queue.outOfBand.add(packet);
            queue.outOfBandTail = packet;
        }
        return packet;
    }

    /** Returns whether a packet has messages with the same marks, and room for one more. */
    private boolean fits(Packet packet, int needed, Marks marks) {
        return packet.room() >= needed
                && packet.length() + needed <= sizes.sharedBytes()
                && packet.bytes().get(packet.offset()) == marks.wholeKind();
    }

    /** Returns whether a message of this length in a scope fits into a packet. */
    public boolean isSmallScoped(int length) {
        return length <= sizes.wholeBytes() - Records.SCOPE_BYTES;
    }

    /**
     * Queues a packet about the application's state, which overtakes waiting messages. It does not count among the
     * bytes that may wait: its sender has a bound of its own.
     *
     * @param length at most {@link Records#STATE_MAX}
     */
    public void offerState(@Nullable Member receiver, byte[] source, int offset, int length) {
        Queue queue = queues.computeIfAbsent(receiver, key -> new Queue());
        Packet packet = Packet.create(memory, Records.WHOLE_HEADER_BYTES + length).appendByte(Records.STATE);
        queue.state.add(packet.append(source, offset, length).markOutOfBand());
    }

    private int size(boolean isFirst, int needed) {
        int wanted = isFirst
                ? Math.min(sizes.sharedBytes(), Math.max(FIRST_PACKET_BYTES_MIN, FIRST_PACKET_MESSAGES * needed))
                : sizes.sharedBytes();
        return Math.max(wanted, Records.WHOLE_HEADER_BYTES + needed);
    }

    /** Returns why a message of this length can't be sent, in words; null if it can. */
    public @Nullable String refusal(@Nullable Member receiver, long length) {
        return limits.refusal(receiver, length);
    }

    /** Queues a large message without marks, which stays in its array. */
    public LargeMessage offerLarge(@Nullable Member receiver, byte[] source, int offset, int length) {
        return offerLarge(receiver, source, offset, length, Marks.NONE);
    }

    /** Queues a large message, which stays in its array and is not out of band. */
    public LargeMessage offerLarge(@Nullable Member receiver, byte[] source, int offset, int length, Marks marks) {
        String refusal = refusal(receiver, length);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        return add(receiver, new LargeMessage(source, offset, length, marks, largeOffered++, false));
    }

    /** Copies a message that fits into no packet, so that its sender need not wait until it is taken. */
    private boolean offerCopy(@Nullable Member receiver, byte[] source, int offset, int length, Marks marks) {
        if (bytes + length > bytesMax && bytes > 0) {
            return false;
        }
        byte[] spare = spares.take(length);
        byte[] copy = spare == null ? new byte[length] : spare;
        System.arraycopy(source, offset, copy, 0, length);
        add(receiver, new LargeMessage(copy, 0, length, marks, largeOffered++, true));
        bytes += length;
        return true;
    }

    private LargeMessage add(@Nullable Member receiver, LargeMessage large) {
        Queue queue = queues.computeIfAbsent(receiver, key -> new Queue());
        queue.entries.add(large);
        queue.tail = null;
        offered = large;
        return large;
    }

    private void giveUp(LargeMessage copy) {
        bytes -= copy.length();
        spares.give(copy.bytes());
    }

    /** Withdraws a large message that waits or is half taken; its receivers abandon the half. */
    public void withdraw(LargeMessage large) {
        forgetOffered(large);
        queues.values().removeIf(queue -> {
            if (queue.entries.remove(large)) {
                end(queue, large);
            }
            return queue.isEmpty();
        });
    }

    private void end(Queue queue, LargeMessage half) {
        Packet end = half.end(memory);
        if (end != null) {
            queue.entries.addFirst(end);
            bytes += end.length() - Records.WHOLE_HEADER_BYTES;
        }
    }

    /** Returns the number of messages in callers' arrays that were completely taken. */
    public long largeTaken() {
        return largeTaken;
    }

    /** Returns the reason why a submission would wait now; empty if it would not. */
    public String waitsFor() {
        return waitsFor;
    }

    /** Returns the single member that closes all windows that a submission would wait for; null if there is none. */
    public @Nullable Member closedBy() {
        return closedBy;
    }

    /** Returns the bytes of copied messages that wait. */
    public long bytes() {
        return bytes;
    }

    /** Returns the bytes of messages not sent, because their receiver is not in the view or the group was left. */
    public long discardedBytes() {
        return discardedBytes;
    }

    @Override
    public boolean isWaiting(@Nullable Member receiver) {
        return queues.containsKey(receiver);
    }

    /** Discards all waiting messages: nothing is taken any more. */
    public void close(String reason) {
        for (Queue queue : queues.values()) {
            discard(queue, reason);
        }
        queues.clear();
    }

    // ------------------------------------------------------------------ the stack's side

    @Override
    public List<@Nullable Member> receivers() {
        return new ArrayList<>(queues.keySet());
    }

    @Override
    public @Nullable Packet take(@Nullable Member receiver, long payloadBytesMax) {
        Queue queue = queues.get(receiver);
        if (queue == null) {
            return null;
        }
        Packet state = queue.state.peek();
        if (state != null) {
            return takeState(receiver, queue, state, payloadBytesMax);
        }
        Packet first = queue.outOfBand.peek();
        if (first != null) {
            return takeOutOfBand(receiver, queue, first, payloadBytesMax);
        }
        Object entry = queue.entries.peek();
        Packet taken;
        if (entry instanceof LargeMessage large) {
            taken = large.needsTurn(shareBytes) ? null : large.nextPiece(memory, sizes.sharedBytes(), payloadBytesMax);
            if (taken != null && large.isTaken()) {
                taken.withTicket(large.ticket());
                forgetOffered(large);
                queue.entries.poll();
                if (large.isCopy()) {
                    giveUp(large);
                } else {
                    largeTaken++;
                }
            }
        } else if (entry instanceof Packet packet && packet.length() <= payloadBytesMax) {
            queue.entries.poll();
            bytes -= packet.length() - Records.WHOLE_HEADER_BYTES;
            if (packet == queue.tail) {
                queue.tail = null;
            }
            taken = packet;
        } else {
            taken = null;
        }
        if (queue.entries.isEmpty()) {
            queues.remove(receiver);
        }
        forgetOffered(taken);
        return taken;
    }

    /** Forgets the message offered last if it is gone: it may be large, and this the last reference. */
    private void forgetOffered(@Nullable Object gone) {
        if (offered == gone) {
            offered = null;
        }
    }

    private @Nullable Packet takeState(@Nullable Member receiver, Queue queue, Packet first, long payloadBytesMax) {
        if (first.length() > payloadBytesMax) {
            return null;
        }
        queue.state.poll();
        if (queue.isEmpty()) {
            queues.remove(receiver);
        }
        return first;
    }

    private @Nullable Packet takeOutOfBand(
            @Nullable Member receiver, Queue queue, Packet first, long payloadBytesMax) {
        if (first.length() > payloadBytesMax) {
            return null;
        }
        queue.outOfBand.poll();
        bytes -= first.length() - Records.WHOLE_HEADER_BYTES;
        if (first == queue.outOfBandTail) {
            queue.outOfBandTail = null;
        }
        if (queue.isEmpty()) {
            queues.remove(receiver);
        }
        return first;
    }

    private @Nullable LargeMessage head(@Nullable Member receiver) {
        Queue queue = queues.get(receiver);
        return queue != null && queue.entries.peek() instanceof LargeMessage large ? large : null;
    }

    @Override
    public void share(long bytes) {
        shareBytes = bytes;
    }

    @Override
    public Submissions.@Nullable Large wantsTurn(@Nullable Member receiver) {
        LargeMessage large = head(receiver);
        return large == null || !large.needsTurn(shareBytes)
                ? null
                : new Submissions.Large(large.number(), large.length());
    }

    @Override
    public void giveTurn(@Nullable Member receiver, int number) {
        LargeMessage large = head(receiver);
        if (large != null && large.number() == number) {
            large.giveTurn();
        }
    }

    @Override
    public long takenInTurn(@Nullable Member receiver, int number) {
        LargeMessage large = head(receiver);
        return large != null && large.number() == number ? large.takenInTurn() : -1;
    }

    @Override
    public void onQueueMoved(@Nullable Member receiver, int number) {
        LargeMessage large = head(receiver);
        if (large != null && large.number() == number) {
            large.onQueueMoved();
        }
    }

    @Override
    public void limit(@Nullable Member receiver, long messageBytesMax, Member of) {
        limits.set(receiver, messageBytesMax, of);
        Queue queue = queues.get(receiver);
        if (queue == null) {
            return;
        }
        for (Object entry : List.copyOf(queue.entries)) {
            if (entry instanceof LargeMessage large && large.length() > messageBytesMax) {
                queue.entries.remove(large);
                large.failTooLarge(refusal(receiver, large.length()));
                refusedLater++;
                if (large.isCopy()) {
                    giveUp(large);
                }
                end(queue, large);
            }
        }
        if (queue.isEmpty()) {
            queues.remove(receiver);
        }
    }

    @Override
    public void forget(Member receiver) {
        limits.forget(receiver);
    }

    /** Returns the number of waiting messages that failed because a new receiver does not take so large ones. */
    public long refusedLater() {
        return refusedLater;
    }

    @Override
    public void restart(@Nullable Member receiver) {
        Queue queue = queues.get(receiver);
        if (queue != null && queue.entries.peek() instanceof LargeMessage large) {
            large.restart();
        }
    }

    @Override
    public void discard(Member receiver, String reason) {
        Queue queue = queues.remove(receiver);
        if (queue != null) {
            discard(queue, reason);
        }
    }

    private void discard(Queue queue, String reason) {
        long before = bytes;
        queue.state.forEach(Packet::release);
        for (Packet packet : queue.outOfBand) {
            discard(packet);
        }
        for (Object entry : queue.entries) {
            if (entry instanceof Packet packet) {
                discard(packet);
            } else if (entry instanceof LargeMessage large) {
                forgetOffered(large);
                tellUnsent(large.ticket());
                if (large.isCopy()) {
                    giveUp(large);
                } else {
                    large.fail(reason);
                }
            }
        }
        discardedBytes += before - bytes;
    }

    private void discard(Packet packet) {
        bytes -= packet.length() - Records.WHOLE_HEADER_BYTES;
        tellUnsent(packet.ticket());
        packet.release();
    }

    @Override
    public boolean isEmpty() {
        return queues.isEmpty();
    }

    @Override
    public void explain(String reason, @Nullable Member closer) {
        waitsFor = reason;
        closedBy = closer;
    }
}
