package dev.tutti.sim.application;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.stack.Application;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.History;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Application that records events in a {@link History}, and consumes at a configured pace.
 *
 * <p>Its messages contain sender, receiver and index, and are filled with bytes derived from these, so that a wrong one
 * shows by its hash.
 */
public final class SimulatedApplication implements Application {

    /** Gives a packet back to the node; called in a turn of the node. */
    @FunctionalInterface
    public interface Consumption {
        void consume(long nowNanos, Member self, Packet packet);
    }

    /** Bytes of the shortest message. */
    public static final int MESSAGE_BYTES_MIN = 1 + 8 + 4 + 8 + 8 + 4;

    /** Packet that is not consumed yet; {@code length} before it was read. */
    private record Received(Member sender, Packet packet, int length) {}

    /** Number of messages sent, by receiver. */
    private static final class Sent {
        private final TreeMap<Member, Long> toOne = new TreeMap<>();
        private long toAll;

        long next(@Nullable Member receiver) {
            return receiver == null ? ++toAll : toOne.merge(receiver, 1L, Long::sum);
        }
    }

    /**
     * Lane of messages that are in order with all others of their sender. A lane is in the first byte of a message,
     * above {@link #TO_ONE}; a reader overwrites it with the lane of the delivery, so that a wrong one shows by its
     * hash.
     */
    public static final int IN_ORDER = 0;

    /** Lane of messages out of band. */
    public static final int OUT_OF_BAND = 1;

    /** Number of lanes that are no scope. */
    private static final int LANES = 2;

    /** Number of scopes; each has a lane. */
    public static final int SCOPES_MAX = 120 / 2;

    private static final int TO_ONE = 1;

    private final Simulation simulation;
    private final SimulatedNode node;
    private final int run;
    private final History history;
    private final Supplier<MessageReader> readers;
    private final Consumption consumption;
    private final TreeMap<Member, MessageReader> readerOf = new TreeMap<>();
    private final Sent sent = new Sent();
    private final Sent sentOutOfBand = new Sent();
    private final Map<Long, List<History.Message>> asked = new TreeMap<>();
    private History.@Nullable Message lastMessage;
    private final TreeMap<Member, Long> deliveredFrom = new TreeMap<>();
    private final ArrayDeque<Received> received = new ArrayDeque<>();
    private final TreeMap<Member, Long> backlogs = new TreeMap<>();
    private Consumer<String> end = reason -> {};
    private @Nullable Member self;
    private @Nullable View view;
    private long deliveredCount;
    private long paceNanos;
    private boolean isStuck;
    private boolean isConsuming;
    private boolean isJoined;
    private boolean isSuspended;
    private boolean isLeft;

    /**
     * @param node node of the group's member; the application belongs to its present run
     * @param readers one per sender
     */
    public SimulatedApplication(
            Simulation simulation,
            SimulatedNode node,
            History history,
            Supplier<MessageReader> readers,
            Consumption consumption) {
        this.simulation = simulation;
        this.node = node;
        this.run = node.run();
        this.history = history;
        this.readers = readers;
        this.consumption = consumption;
    }

    /** Runs {@code end} when the member has left. */
    public SimulatedApplication withEnd(Consumer<String> end) {
        this.end = end;
        return this;
    }

    /** Sets the member that the join has returned, before anything is sent or received. */
    public void setSelf(Member member) {
        self = member;
    }

    public boolean isMember() {
        return self != null;
    }

    /**
     * @throws IllegalStateException before the group is joined
     */
    public Member self() {
        Member member = self;
        if (member == null) {
            throw new IllegalStateException(node + " has not joined the group");
        }
        return member;
    }

    /** Returns the latest view; null before the first. */
    public @Nullable View view() {
        return view;
    }

    /** Returns whether the member was last told that it is outside of the primary partition. */
    public boolean isSuspended() {
        return isSuspended;
    }

    public boolean isJoined() {
        return isJoined;
    }

    public boolean isLeft() {
        return isLeft;
    }

    public long deliveredCount() {
        return deliveredCount;
    }

    public long deliveredCount(Member sender) {
        return deliveredFrom.getOrDefault(sender, 0L);
    }

    /** Returns the number of packets received and not consumed. */
    public int backlog() {
        return received.size();
    }

    /** Returns the bytes of packets received and not consumed, by sender. */
    public Map<Member, Long> backlogs() {
        return Collections.unmodifiableMap(backlogs);
    }

    /** Sets the time for consuming one packet; zero consumes at once. */
    public void setPace(Duration perPacket) {
        paceNanos = perPacket.toNanos();
    }

    /** Stops consuming until {@link #release}. */
    public void stick() {
        isStuck = true;
    }

    public void release() {
        isStuck = false;
        consumeNext();
    }

    // ------------------------------------------------------------------ sending

    /**
     * Returns the application's next message, and records it as submitted.
     *
     * @param receiver null for all
     * @param length at least {@link #MESSAGE_BYTES_MIN}
     */
    public byte[] nextMessage(@Nullable Member receiver, int length) {
        return nextMessage(receiver, length, IN_ORDER);
    }

    /** Does the same as {@link #nextMessage(Member, int)} in a lane. */
    public byte[] nextMessage(@Nullable Member receiver, int length, int lane) {
        boolean isOutOfBand = lane == OUT_OF_BAND;
        long index = (isOutOfBand ? sentOutOfBand : sent).next(receiver);
        byte[] content = content(self(), receiver, lane, index, length);
        History.Message message = new History.Message(self(), receiver, isOutOfBand, index, hash(content));
        lastMessage = message;
        history.add(new History.Submitted(self(), message));
        return content;
    }

    /** Returns the lane of a scope. */
    public static int lane(int scope) {
        if (scope < 0 || scope >= SCOPES_MAX) {
            throw new IllegalArgumentException("scope " + scope + ", 0 to " + (SCOPES_MAX - 1));
        }
        return LANES + scope;
    }

    /** Writes into a message the lane in which it was delivered. */
    public static byte[] delivered(byte[] message, int lane) {
        message[0] = (byte) (message[0] & TO_ONE | lane << 1);
        return message;
    }

    private static byte[] content(Member sender, @Nullable Member receiver, int lane, long index, int length) {
        byte[] content = new byte[Math.max(length, MESSAGE_BYTES_MIN)];
        ByteBuffer buffer = ByteBuffer.wrap(content);
        buffer.put((byte) ((receiver == null ? 0 : TO_ONE) | lane << 1));
        buffer.putLong(sender.node().incarnation()).putInt(sender.join()).putLong(index);
        buffer.putLong(receiver == null ? 0 : receiver.node().incarnation());
        buffer.putInt(receiver == null ? 0 : receiver.join());
        SplittableRandom filler = new SplittableRandom(sender.node().incarnation() * 31 + index);
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(filler.nextLong());
        }
        return content;
    }

    private static long hash(byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        return sum.getValue() << 32 | content.length;
    }

    /** Asks for a receipt of the message handed over last, which is in the packet with {@code ticket}. */
    public void ask(long ticket) {
        History.Message message = lastMessage;
        if (message == null) {
            throw new IllegalStateException(node + " asks about a message and has handed over none");
        }
        asked.computeIfAbsent(ticket, absent -> new ArrayList<>()).add(message);
        history.add(new History.Asked(self(), message));
    }

    /** Notes that the packet with {@code ticket} will never be sent. */
    public void onUnsent(long ticket) {
        View in = view;
        List<History.Message> messages = asked.remove(ticket);
        if (in != null && messages != null && !isLeft) {
            for (History.Message message : messages) {
                Member receiver = message.receiver();
                List<Member> receivers = receiver == null ? in.members() : List.of(receiver);
                history.add(new History.Told(self(), message, new Delivery(in, in, List.of(), receivers, List.of())));
            }
        }
    }

    // ------------------------------------------------------------------ receiving

    @Override
    public void onKnown(long ticket, Delivery delivery) {
        for (History.Message message : asked.getOrDefault(ticket, List.of())) {
            history.add(new History.Told(self(), message, delivery));
        }
        if (delivery.unknown().isEmpty()) {
            asked.remove(ticket);
        }
    }

    @Override
    public void onPacket(Member sender, Packet packet) {
        MessageReader reader = readerOf.computeIfAbsent(sender, from -> readers.get());
        int length = packet.length();
        reader.read(packet, content -> deliver(sender, content));
        received.add(new Received(sender, packet, length));
        backlogs.merge(sender, (long) length, Long::sum);
        consumeNext();
    }

    private void deliver(Member sender, byte[] content) {
        deliveredCount++;
        deliveredFrom.merge(sender, 1L, Long::sum);
        Member receiver = null;
        boolean isOutOfBand = false;
        long index = 0;
        if (content.length >= MESSAGE_BYTES_MIN) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            int kind = buffer.get();
            boolean isSender =
                    buffer.getLong() == sender.node().incarnation() && buffer.getInt() == sender.join();
            index = isSender ? buffer.getLong() : -1;
            receiver = (kind & TO_ONE) == 0 ? null : self();
            isOutOfBand = kind >> 1 == OUT_OF_BAND;
        }
        history.add(new History.Delivered(
                self(), new History.Message(sender, receiver, isOutOfBand, index, hash(content))));
    }

    private void consumeNext() {
        if (isStuck || isConsuming || received.isEmpty()) {
            return;
        }
        isConsuming = true;
        simulation.at(simulation.nowNanos() + paceNanos, () -> {
            isConsuming = false;
            if (node.run() == run && node.life() != SimulatedNode.Life.DOWN && !isStuck) {
                consume(paceNanos == 0 ? received.size() : Math.min(1, received.size()));
                consumeNext();
            }
        });
    }

    private void consume(int count) {
        for (int index = 0; index < count; index++) {
            Received next = received.remove();
            backlogs.merge(next.sender(), (long) -next.length(), Long::sum);
            node.execute(now -> consumption.consume(now, self(), next.packet()));
        }
    }

    @Override
    public void onTransition() {
        history.add(new History.Transition(self()));
    }

    @Override
    public void onSuspended(String reason) {
        isSuspended = true;
        history.add(new History.Suspended(self(), reason));
    }

    @Override
    public void onView(View installed) {
        view = installed;
        isSuspended = false;
        history.add(new History.Viewed(self(), installed));
    }

    @Override
    public void onJoined() {
        isJoined = true;
        history.add(new History.Joined(self()));
    }

    @Override
    public void onLeft(String reason) {
        isLeft = true;
        history.add(new History.Left(self(), reason));
        end.accept(reason);
    }
}
