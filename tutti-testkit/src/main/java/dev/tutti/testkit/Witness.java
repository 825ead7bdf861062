package dev.tutti.testkit;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Receipt;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.packing.Submissions;
import dev.tutti.sim.History;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sees what one member submits, delivers and installs, between the application and its stack, and writes it into the
 * group's {@link History}, where all guarantees are checked.
 *
 * <p>The application's messages carry no numbers, so which one a delivery is follows from its place: the next one of its
 * sender in this view whose content is the same. A message that is missing, repeated or changed then shows as one that is
 * not the next, or that nobody sent.
 */
final class Witness {

    /** What the witnesses of all members of one group share. */
    static final class Record {
        final History history = new History();

        /** By view and sender, the multicasts that the sender delivered to itself, which it does as it sends them. */
        private final Map<ViewId, TreeMap<Member, List<History.Message>>> sent = new TreeMap<>();

        private final Map<Member, TreeMap<Member, List<History.Message>>> unicasts = new TreeMap<>();
        final boolean isReliable;

        Record(boolean isReliable) {
            this.isReliable = isReliable;
        }

        private List<History.Message> sent(ViewId view, Member sender) {
            return sent.computeIfAbsent(view, key -> new TreeMap<>()).computeIfAbsent(sender, key -> new ArrayList<>());
        }

        private List<History.Message> unicasts(Member sender, Member receiver) {
            return unicasts.computeIfAbsent(sender, key -> new TreeMap<>())
                    .computeIfAbsent(receiver, key -> new ArrayList<>());
        }
    }

    private static final Comparator<@Nullable Member> ALL_FIRST = Comparator.nullsFirst(Comparator.naturalOrder());

    private final String group;
    private final SimulatedProcess process;
    private final NodeId node;
    private final Record record;
    private final List<History.Message> taken = new ArrayList<>();
    private final TreeMap<@Nullable Member, Reassembly> takenPieces = new TreeMap<>(ALL_FIRST);
    private final TreeMap<@Nullable Member, Long> takenCounts = new TreeMap<>(ALL_FIRST);
    private final Map<Receipt, Reassembly> pieces = new IdentityHashMap<>();
    private final TreeMap<Member, Integer> positions = new TreeMap<>();
    private final TreeMap<Member, Integer> unicastPositions = new TreeMap<>();
    private int ownPosition;
    private @Nullable Submissions submissions;
    private @Nullable Member self;
    private @Nullable View view;
    private boolean isLeft;

    Witness(String group, SimulatedProcess process, NodeId node, Record record) {
        this.group = group;
        this.process = process;
        this.node = node;
        this.record = record;
    }

    String group() {
        return group;
    }

    /** The latest view; null before the first. */
    @Nullable View view() {
        return view;
    }

    /** Null before the first view. */
    @Nullable Member self() {
        return self;
    }

    boolean isMember() {
        return self != null && !isLeft;
    }

    /** Whether something was accepted that no packet has taken yet. */
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
        if (record.isReliable) {
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
        read(packet, reassembly, content -> onSent(receiver, content));
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
        process.remember("sent " + text(content) + (receiver == null ? "" : " to " + receiver));
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
            if (packet != null && record.isReliable && isOrdered(packet)) {
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
        public void explain(String waitsFor) {
            real.explain(waitsFor);
        }
    }

    // ------------------------------------------------------------------ on the way up

    Application above(Application real) {
        return new WitnessedApplication(real);
    }

    private void onDelivered(Member sender, boolean isUnicast, byte[] content) {
        Member receiver = self;
        View in = view;
        if (receiver == null || in == null) {
            throw new IllegalStateException(group + ": a message before the first view");
        }
        History.Message message = isUnicast
                ? next(record.unicasts(sender, receiver), unicastPositions, sender, receiver, content)
                : multicast(in, sender, receiver, content);
        add(new History.Delivered(receiver, message));
        process.remember("got " + text(content) + " from " + sender);
    }

    private History.Message multicast(View in, Member sender, Member receiver, byte[] content) {
        List<History.Message> sent = record.sent(in.id(), sender);
        if (sender.equals(receiver)) {
            // The place where it becomes known in which view a message goes out.
            if (ownPosition < taken.size()) {
                sent.add(taken.get(ownPosition++));
            }
        }
        return next(sent, positions, sender, null, content);
    }

    /** The next message with this content, or one that nobody sent. */
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
            if (record.isReliable && receipt != null && isOrdered(packet)) {
                Reassembly reassembly = pieces.computeIfAbsent(receipt, key -> new Reassembly());
                read(packet, reassembly, content -> onDelivered(sender, receipt.isUnicast(), content));
            }
            real.onPacket(sender, packet);
        }

        @Override
        public void onTransition() {
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
            process.tell("is in view " + installed + " of group " + group);
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
            process.tell("is out of group " + group + ": " + reason);
            real.onLeft(reason);
        }
    }

    // ------------------------------------------------------------------ content

    private void read(Packet packet, Reassembly reassembly, Consumer<byte[]> messages) {
        boolean isReadable = Records.read(packet, new Records.Visitor() {
            @Override
            public void onMessage(ByteBuffer bytes, int offset, int length) {
                byte[] message = new byte[length];
                bytes.get(offset, message);
                messages.accept(message);
            }

            @Override
            public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                ByteBuffer message = reassembly.add(bytes, offset, length, piece);
                if (message != null) {
                    messages.accept(message.array());
                }
            }
        });
        if (!isReadable) {
            throw new IllegalStateException(group + ": a packet that can't be read: " + packet);
        }
    }

    /** What is out of band, or no message at all, has no place among what is sent; nothing is known of it. */
    private static boolean isOrdered(Packet packet) {
        return !Records.isOutOfBand(packet) && !Records.isState(packet);
    }

    private static long hash(byte[] content) {
        long hash = content.length;
        for (byte value : content) {
            hash = hash * 0x100000001b3L ^ value;
        }
        return hash;
    }

    /** For people: what is short and readable as it is. */
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
