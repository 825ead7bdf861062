package dev.tutti.testkit;

import dev.tutti.Message;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.stack.Application;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.packing.Submissions;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Violation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Observes the messages and views that one member submits, delivers and installs, between the application and its
 * stack, and writes them into the group's {@link History}, where all guarantees are checked.
 *
 * <p>The application's messages carry no numbers, so a delivery is identified by its place: it is the next message of
 * its sender in this view with the same content. A missing, repeated or changed message then appears as one that is not
 * the next, or that no member sent.
 */
final class Witness {

    private static final Comparator<@Nullable Member> ALL_FIRST = Comparator.nullsFirst(Comparator.naturalOrder());

    private final GroupHistory.Key group;
    private final SimulatedProcess process;
    private final ProcessNode place;
    private final NodeId node;
    private final GroupHistory record;
    private final List<History.Message> taken = new ArrayList<>();
    private final TreeMap<@Nullable Member, Reassembly> takenPieces = new TreeMap<>(ALL_FIRST);
    private final TreeMap<@Nullable Member, Long> takenCounts = new TreeMap<>(ALL_FIRST);
    private final Map<Receipt, Reassembly> pieces = new IdentityHashMap<>();
    private final TreeMap<Member, Integer> positions = new TreeMap<>();
    private final TreeMap<Member, Integer> unicastPositions = new TreeMap<>();
    private int ownPosition;
    private final TreeMap<@Nullable Member, Long> outOfBandCounts = new TreeMap<>(ALL_FIRST);

    /** Views and messages that the stack has delivered and no listener has got yet, where no two messages are equal. */
    private final ArrayDeque<Object> untold = new ArrayDeque<>();

    /** A message for listeners aside from others, and the number of the view that it was delivered in. */
    private record Aside(GroupHistory.Sent sent, long view) {}

    /** Messages that the stack has delivered and no listener has got aside yet. */
    private final TreeMap<Long, Aside> untoldAside = new TreeMap<>();

    private @Nullable Submissions submissions;
    private @Nullable Member self;
    private @Nullable View view;
    private boolean isLeft;

    /**
     * @param place address in the process at which the member's node is
     * @param node the member's node
     */
    Witness(GroupHistory.Key group, SimulatedProcess process, ProcessNode place, NodeId node, GroupHistory record) {
        this.group = group;
        this.process = process;
        this.place = place;
        this.node = node;
        this.record = record;
        record.witnesses.add(this);
    }

    GroupHistory.Key group() {
        return group;
    }

    /** Returns whether this is the witness of a membership that is still being created. */
    boolean isNew(GroupHistory.Key ofGroup, NodeId ofNode) {
        return self == null && group.equals(ofGroup) && node.equals(ofNode);
    }

    /** Returns the latest view; null before the first. */
    @Nullable View view() {
        return view;
    }

    /** Returns this member; null before the first view. */
    @Nullable Member self() {
        return self;
    }

    boolean isMember() {
        return self != null && !isLeft;
    }

    /** Returns whether a message was accepted that no packet has taken yet. */
    boolean isSubmitting() {
        return submissions != null && !submissions.isEmpty();
    }

    void onCrash() {
        Member member = self;
        if (member != null && !isLeft) {
            add(new History.Crashed(member));
        }
    }

    private void add(History.Entry entry) {
        if (record.isChecked) {
            record.history.add(entry);
        }
    }

    // ------------------------------------------------------------------ on the way down

    Submissions above(Submissions real) {
        submissions = real;
        return new WitnessedSubmissions(real);
    }

    private void onTaken(@Nullable Member receiver, Packet packet) {
        Reassembly reassembly = takenPieces.computeIfAbsent(receiver, key -> new Reassembly());
        boolean isOutOfBand = Records.isOutOfBand(packet);
        read(packet, reassembly, (content, isScoped) -> {
            if (record.isDistinct) {
                onDistinctSent(receiver, content, isOutOfBand, isScoped);
            } else {
                onSent(receiver, content);
            }
        });
    }

    private void onDistinctSent(@Nullable Member receiver, byte[] content, boolean isOutOfBand, boolean isScoped) {
        Member sender = self;
        if (sender == null) {
            throw new IllegalStateException(group + ": something was sent before the first view");
        }
        long hash = hash(content);
        if (record.byContent.containsKey(hash)) {
            // Sent again from its start in another view.
            return;
        }
        long index = (isOutOfBand ? outOfBandCounts : takenCounts).merge(receiver, 1L, Long::sum);
        History.Message message = new History.Message(sender, receiver, isOutOfBand, index, hash);
        add(new History.Submitted(sender, message));
        record.byContent.put(hash, new GroupHistory.Sent(message, isScoped));
        process.remember(() -> "sent " + text(content) + (receiver == null ? "" : " to " + receiver));
    }

    private void onSent(@Nullable Member receiver, byte[] content) {
        Member sender = self;
        if (sender == null) {
            throw new IllegalStateException(group + ": something was sent before the first view");
        }
        long index = takenCounts.merge(receiver, 1L, Long::sum);
        History.Message message = new History.Message(sender, receiver, index, hash(content));
        add(new History.Submitted(sender, message));
        if (receiver == null) {
            taken.add(message);
        } else {
            record.unicasts(sender, receiver).add(message);
        }
        process.remember(() -> "sent " + text(content) + (receiver == null ? "" : " to " + receiver));
    }

    private final class WitnessedSubmissions implements Submissions {
        private final Submissions real;

        WitnessedSubmissions(Submissions real) {
            this.real = real;
        }

        @Override
        public List<@Nullable Member> receivers() {
            return real.receivers();
        }

        @Override
        public @Nullable Packet take(@Nullable Member receiver, long bytesMax) {
            Packet packet = real.take(receiver, bytesMax);
            if (packet != null && isWatched(packet)) {
                onTaken(receiver, packet);
            }
            return packet;
        }

        @Override
        public void restart(@Nullable Member receiver) {
            takenPieces.remove(receiver);
            real.restart(receiver);
        }

        @Override
        public void discard(Member receiver, String reason) {
            takenPieces.remove(receiver);
            real.discard(receiver, reason);
        }

        @Override
        public boolean isWaiting(@Nullable Member receiver) {
            return real.isWaiting(receiver);
        }

        @Override
        public boolean isEmpty() {
            return real.isEmpty();
        }

        @Override
        public void limit(@Nullable Member receiver, long messageBytesMax, Member of) {
            real.limit(receiver, messageBytesMax, of);
        }

        @Override
        public void forget(Member receiver) {
            real.forget(receiver);
        }

        @Override
        public void share(long bytes) {
            real.share(bytes);
        }

        @Override
        public @Nullable Large wantsTurn(@Nullable Member receiver) {
            return real.wantsTurn(receiver);
        }

        @Override
        public void giveTurn(@Nullable Member receiver, int number) {
            real.giveTurn(receiver, number);
        }

        @Override
        public long takenInTurn(@Nullable Member receiver, int number) {
            return real.takenInTurn(receiver, number);
        }

        @Override
        public void onQueueMoved(@Nullable Member receiver, int number) {
            real.onQueueMoved(receiver, number);
        }

        @Override
        public void explain(String waitsFor, @Nullable Member closedBy) {
            real.explain(waitsFor, closedBy);
        }
    }

    // ------------------------------------------------------------------ on the way up

    Application above(Application real) {
        return new WitnessedApplication(real);
    }

    /** @param isTold whether the listener is to be called for it */
    private void onDelivered(Member sender, boolean isUnicast, boolean isTold, byte[] content) {
        Member receiver = self;
        View in = view;
        if (receiver == null || in == null) {
            throw new IllegalStateException(group + ": a message before the first view");
        }
        if (record.isDistinct) {
            onDistinctDelivered(receiver, sender, isUnicast, isTold, hash(content));
            process.remember(() -> "got " + text(content) + " from " + sender);
            return;
        }
        History.Message message = isUnicast
                ? next(record.unicasts(sender, receiver), unicastPositions, sender, receiver, content)
                : multicast(in, sender, receiver, content);
        add(new History.Delivered(receiver, message));
        process.remember(() -> "got " + text(content) + " from " + sender);
    }

    private void onDistinctDelivered(Member receiver, Member sender, boolean isUnicast, boolean isTold, long hash) {
        GroupHistory.Sent known = record.byContent.get(hash);
        GroupHistory.Sent sent = known == null
                ? new GroupHistory.Sent(new History.Message(sender, isUnicast ? receiver : null, -1, hash), false)
                : known;
        add(new History.Delivered(receiver, sent.message()));
        if (!isTold) {
            return;
        }
        if (sent.isAside()) {
            untoldAside.put(hash, new Aside(sent, view == null ? 0 : view.id().number()));
        } else {
            untold.add(sent);
        }
    }

    private History.Message multicast(View in, Member sender, Member receiver, byte[] content) {
        List<History.Message> sent = record.sent(in.id(), sender);
        if (sender.equals(receiver)) {
            // Only here it becomes known in which view a message is sent.
            if (ownPosition < taken.size()) {
                sent.add(taken.get(ownPosition++));
            }
        }
        return next(sent, positions, sender, null, content);
    }

    /** Returns the next message with this content, or one that no member sent. */
    private static History.Message next(
            List<History.Message> sent,
            TreeMap<Member, Integer> positions,
            Member sender,
            @Nullable Member receiver,
            byte[] content) {
        long hash = hash(content);
        for (int position = positions.getOrDefault(sender, 0); position < sent.size(); position++) {
            if (sent.get(position).hash() == hash) {
                positions.put(sender, position + 1);
                return sent.get(position);
            }
        }
        return new History.Message(sender, receiver, -1, hash);
    }

    private final class WitnessedApplication implements Application {
        private final Application real;

        WitnessedApplication(Application real) {
            this.real = real;
        }

        @Override
        public void onPacket(Member sender, Packet packet) {
            Receipt receipt = packet.receipt();
            if (receipt != null && isWatched(packet)) {
                Reassembly reassembly = pieces.computeIfAbsent(receipt, key -> new Reassembly());
                boolean isTold = !(Records.isForOthers(packet) && sender.equals(self));
                read(packet, reassembly, (content, isScoped) -> onDelivered(sender, receipt.isUnicast(), isTold, content));
            }
            real.onPacket(sender, packet);
        }

        @Override
        public void onTransition() {
            Member member = self;
            if (member != null) {
                add(new History.Transition(member));
            }
            real.onTransition();
        }

        @Override
        public void onSuspended(String reason) {
            real.onSuspended(reason);
        }

        @Override
        public void onKnown(long ticket, Delivery delivery) {
            real.onKnown(ticket, delivery);
        }

        @Override
        public void onView(View installed) {
            view = installed;
            positions.clear();
            pieces.keySet().removeIf(receipt -> !receipt.isUnicast());
            for (Member member : installed.members()) {
                if (member.node().equals(node)) {
                    self = member;
                    add(new History.Viewed(member, installed));
                }
            }
            untold.add(installed);
            process.tell(place, "is in view " + installed + " of group " + group);
            real.onView(installed);
        }

        @Override
        public void onJoined() {
            Member member = self;
            if (member != null) {
                add(new History.Joined(member));
            }
            real.onJoined();
        }

        @Override
        public void onLeft(String reason) {
            Member member = self;
            isLeft = true;
            if (member != null) {
                add(new History.Left(member, reason));
            }
            process.tell(place, "is out of group " + group + ": " + reason);
            real.onLeft(reason);
        }
    }

    // ------------------------------------------------------------------ what listeners are told

    /**
     * Checks a message or a view for a listener of this member: it must be what the stack has delivered, in the same
     * order. Only members of groups with a state skip messages, up to the view whose state they have.
     */
    void onTold(Object item) {
        Member member = self;
        if (!record.isDistinct || member == null) {
            return;
        }
        if (item instanceof View told) {
            onToldView(member, told);
        } else if (item instanceof Message message) {
            onToldMessage(member, message);
        }
    }

    private void onToldView(Member member, View told) {
        for (Aside aside : untoldAside.values()) {
            if (aside.sent().isScoped() && aside.view() < told.id().number() && !record.isWithState) {
                record.report("T2", member + " is told of " + told + " before " + aside);
            }
        }
        Object next = untold.poll();
        while (record.isWithState && next != null && !isSame(told, next)) {
            next = untold.poll();
        }
        if (!isSame(told, next)) {
            record.report("T2", member + " is told of " + told + ", where " + next + " comes");
        }
    }

    private static boolean isSame(View told, @Nullable Object next) {
        return next instanceof View view && view.id().equals(told.id()) && view.members().equals(told.members());
    }

    private void onToldMessage(Member member, Message message) {
        byte[] content = message.bytes();
        GroupHistory.Sent sent = record.byContent.get(hash(content));
        if (sent == null) {
            record.report("T2", member + " is told of " + text(content) + ", which nobody has sent");
            return;
        }
        if (sent.isAside()) {
            if (untoldAside.remove(sent.message().hash()) == null) {
                record.report("T2", member + " is told of " + sent + ", which its stack has not delivered, or again");
            }
        } else {
            Object next = untold.poll();
            if (!sent.equals(next)) {
                record.report("T2", member + " is told of " + sent + ", where " + next + " comes");
            }
        }
        if (!sent.message().sender().equals(message.sender())
                || message.isUnicast() != (sent.message().receiver() != null)) {
            record.report("T2", member + " is told that " + sent + " is from " + message.sender());
        }
    }

    void reportUntold(List<Violation> found) {
        int count = untold.size() + (record.isWithState ? 0 : untoldAside.size());
        if (record.isDistinct && count > 0) {
            Object first = untold.isEmpty() ? untoldAside.firstEntry().getValue() : untold.peek();
            found.add(new Violation("T2", self + " was never told of " + count
                    + " messages and views that its stack has delivered, the first of them " + first));
        }
    }

    // ------------------------------------------------------------------ content

    /** Takes the messages of packets. */
    private interface Contents {
        void onMessage(byte[] content, boolean isScoped);
    }

    private void read(Packet packet, Reassembly reassembly, Contents messages) {
        boolean isReadable = Records.read(packet, new Records.Visitor() {
            @Override
            public void onMessage(ByteBuffer bytes, int offset, int length) {
                pass(bytes, offset, length, false);
            }

            @Override
            public void onScoped(ByteBuffer bytes, int offset, int length, int scope) {
                pass(bytes, offset, length, true);
            }

            @Override
            public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                assemble(bytes, offset, length, piece, false);
            }

            @Override
            public void onScopedPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece, int scope) {
                assemble(bytes, offset, length, piece, true);
            }

            private void pass(ByteBuffer bytes, int offset, int length, boolean isScoped) {
                byte[] message = new byte[length];
                bytes.get(offset, message);
                messages.onMessage(message, isScoped);
            }

            private void assemble(ByteBuffer bytes, int offset, int length, Records.Piece piece, boolean isScoped) {
                ByteBuffer message = reassembly.add(bytes, offset, length, piece);
                if (message != null) {
                    messages.onMessage(message.array(), isScoped);
                }
            }
        });
        if (!isReadable) {
            throw new IllegalStateException(group + ": a packet that can't be read: " + packet);
        }
    }

    /** Returns whether a packet is checked. Messages out of band have no order: they have to be distinct. */
    private boolean isWatched(Packet packet) {
        return record.isChecked && !Records.isState(packet) && (record.isDistinct || !Records.isOutOfBand(packet));
    }

    private static long hash(byte[] content) {
        long hash = content.length;
        ByteBuffer in = ByteBuffer.wrap(content);
        while (in.remaining() >= Long.BYTES) {
            hash = (hash ^ in.getLong()) * 0x9E3779B97F4A7C15L;
            // Otherwise the upper bits would never reach the lower ones.
            hash ^= hash >>> 32;
        }
        while (in.hasRemaining()) {
            hash = (hash ^ in.get()) * 0x9E3779B97F4A7C15L;
        }
        return hash;
    }

    /** Returns content for people: text if it is short and readable. */
    private static String text(byte[] content) {
        if (content.length > TEXT_MAX) {
            return content.length + " bytes";
        }
        StringBuilder text = new StringBuilder("'");
        for (byte value : content) {
            if (value < ' ' || value > '~') {
                return content.length + " bytes";
            }
            text.append((char) value);
        }
        return text.append('\'').toString();
    }

    private static final int TEXT_MAX = 60;
}
