package dev.tutti.campaign;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.History;
import dev.tutti.sim.Interceptor;
import dev.tutti.sim.SimulatedNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A node whose frames are changed on their way, by a seed: it lies in any field of any message, passes on what others have
 * said as its own, and says things out of the blue.
 *
 * <p>A lie takes the place of a frame, so that the session goes on: what can be told from the count of frames is a matter of
 * links, and ends the session. What no check of a single message can tell is left out, and named in docs/design/peers.md: a
 * coordinator that tells members of one view different decisions, and, in orders other than FIFO, a sender that tells them
 * different data.
 */
final class Liar implements Interceptor {

    /** Types of frames. */
    private static final int HEARTBEAT = 4;

    private static final int GROUP_JOINED = 17;
    private static final int PEERS = 20;
    private static final int GROUP = 32;

    /** Of membership, in the byte after the number of the sender's membership. */
    private static final int DATA = 0;

    private static final int ACK = 3;
    private static final int CUT = 5;
    private static final int WHO = 6;
    private static final int CONTROL_MAX = 14;
    private static final int KIND_OFFSET = 5;

    /** Of reliability, in the byte after that; what is less carries the application's data. */
    private static final int ACK_ABOVE = 2;

    private static final int FETCH = 4;
    private static final int REPAIR = 5;
    private static final int RELAYED = 8;

    /** What reliability writes before the application's data, at least. */
    private static final int HEADER_BYTES = 40;

    private static final int REMEMBERED_MAX = 64;

    private static final long[] NUMBERS = {
        0, 1, 2, -1, Integer.MAX_VALUE, 1L << 32, (1L << 32) + 7, 1L << 61, 1L << 62, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private final Cluster cluster;
    private final int number;
    private final SplittableRandom random;
    private final int truths;
    private final boolean isFifo;

    /** What others have said in groups, for the liar to say it too. */
    private final List<byte[]> heard = new ArrayList<>();

    /** What they have sent again, passed on or asked for. */
    private final List<byte[]> repairs = new ArrayList<>();

    private final TreeMap<String, Long> told = new TreeMap<>();

    /** @param number of the node that lies */
    Liar(Cluster cluster, int number, SplittableRandom random) {
        this.cluster = cluster;
        this.number = number;
        this.random = random;
        this.isFifo = cluster.groupSettings().get(GroupSettings.STACK) == GroupSettings.StackKind.FIFO;
        this.truths = 1 << random.nextInt(6);
    }

    /** What the one that lies sees is nobody's promise, and what it has sent may be anything to anybody. */
    boolean isAbout(History.Entry entry) {
        return cluster.numberOf(entry.member()) == number
                || entry instanceof History.Delivered delivered
                        && cluster.numberOf(delivered.message().sender()) == number;
    }

    /** How often it has told each kind of lie. */
    TreeMap<String, Long> told() {
        return told;
    }

    @Override
    public byte[] intercept(SimulatedNode from, SimulatedNode to, byte[] frame) {
        if (!from.name().equals("n" + number)) {
            remember(frame);
            return frame;
        }
        if (frame.length < 2 || random.nextInt(truths + 1) < truths) {
            return frame;
        }
        return switch (frame[0]) {
            case HEARTBEAT -> heartbeat(frame);
            case PEERS -> random.nextBoolean() ? peers() : joined();
            case GROUP -> group(to, frame);
            default -> frame;
        };
    }

    private void remember(byte[] frame) {
        if (frame.length <= KIND_OFFSET + 1 || frame[0] != GROUP) {
            return;
        }
        boolean isData = frame[KIND_OFFSET] == DATA;
        if (!isData) {
            remember(frame, heard);
        } else if (frame[KIND_OFFSET + 1] == REPAIR || frame[KIND_OFFSET + 1] == RELAYED || frame[KIND_OFFSET + 1] == FETCH) {
            remember(frame, repairs);
        }
    }

    private void remember(byte[] frame, List<byte[]> frames) {
        if (frames.size() < REMEMBERED_MAX) {
            frames.add(frame);
        } else {
            frames.set(random.nextInt(REMEMBERED_MAX), frame);
        }
    }

    private byte[] count(String kind, byte[] lie) {
        told.merge("lie." + kind, 1L, Long::sum);
        return lie;
    }

    // ------------------------------------------------------------------ nodes

    /** All that have been started, the liar included. */
    private List<NodeId> nodes() {
        List<NodeId> started = new ArrayList<>();
        for (int node = 1; node <= cluster.size(); node++) {
            if (cluster.wasStarted(node)) {
                started.add(cluster.node(node).id());
            }
        }
        return started;
    }

    /** Whether the liar passes packets on to a node, in the view of that one. */
    private boolean isRelayTo(SimulatedNode to) {
        int receiver = cluster.numberOf(to);
        View view = cluster.isUp(receiver) ? cluster.seat(receiver).view() : null;
        List<Member> members = view == null ? List.of() : view.members();
        for (int rank = 0; rank < members.size(); rank++) {
            if (cluster.numberOf(members.get(rank)) == receiver) {
                return cluster.numberOf(members.get((rank + members.size() - 1) % members.size())) == number;
            }
        }
        return false;
    }

    /** Whom it does not hear, has judged, has found to be gone and has never met: anybody. */
    private byte[] heartbeat(byte[] frame) {
        Packet lie = packet();
        lie.append(frame, 0, 1 + Long.BYTES);
        for (int list = 0; list < 4; list++) {
            List<NodeId> accused = random.nextInt(3) == 0 ? List.of() : some();
            lie.appendInt(accused.size());
            accused.forEach(node -> Wire.append(lie, node));
        }
        return count("heartbeat", bytes(lie));
    }

    /** Addresses at which nobody is. */
    private byte[] peers() {
        Packet lie = packet().appendByte(PEERS).appendLong(random.nextLong());
        int count = 1 + random.nextInt(64);
        lie.appendInt(count);
        for (int index = 0; index < count; index++) {
            lie.appendText("nowhere-" + random.nextInt(10_000) + ":7800");
        }
        return count("peers", bytes(lie));
    }

    /** A membership in a group that nobody has heard of. */
    private byte[] joined() {
        Packet lie = packet().appendByte(GROUP_JOINED).appendInt(2 + random.nextInt(1_000_000));
        lie.appendText("invented-" + random.nextLong()).appendText("x".repeat(random.nextInt(2_000))).appendLong(1L << 40);
        return count("joined", bytes(lie));
    }

    private List<NodeId> some() {
        List<NodeId> some = new ArrayList<>();
        for (NodeId node : nodes()) {
            if (random.nextBoolean()) {
                some.add(node);
            }
        }
        if (random.nextInt(4) == 0) {
            some.add(invented());
        }
        return some;
    }

    private NodeId invented() {
        return new NodeId(random.nextLong(), "nobody", "nowhere-" + random.nextInt(100) + ":7800");
    }

    // ------------------------------------------------------------------ groups

    private byte[] group(SimulatedNode to, byte[] frame) {
        if (frame.length <= KIND_OFFSET + 1) {
            return frame;
        }
        if (frame[KIND_OFFSET] == DATA) {
            return data(to, frame);
        }
        if (frame[KIND_OFFSET] == CUT) {
            // To say nothing is a lie that the others can get over; another decision than the rest is told is not.
            return random.nextBoolean() ? frame : count("silence", silence(frame));
        }
        if (frame[KIND_OFFSET] == ACK && random.nextInt(3) == 0) {
            return decision(frame);
        }
        byte[] lie =
                switch (random.nextInt(8)) {
                    case 0 -> count("silence", silence(frame));
                    case 1 -> kind(frame, 1 + random.nextInt(CONTROL_MAX));
                    case 2, 3 -> asOwn(frame, heard);
                    case 4 -> change(asOwn(frame, heard));
                    default -> change(frame);
                };
        return lie[KIND_OFFSET] == CUT && isProposedBySelf(lie) ? frame : count("control-" + lie[KIND_OFFSET], lie);
    }

    /** Instead of an answer to a ballot, a view that it has made up, as if it had run the ballot. */
    private byte[] decision(byte[] frame) {
        View view = cluster.seat(number).view();
        Packet answer = packet().append(frame, KIND_OFFSET + 1, frame.length - KIND_OFFSET - 1);
        ViewId ballot = Wire.takeViewId(answer, new Members());
        if (view == null || answer.isMalformed()) {
            return frame;
        }
        List<Member> members = new ArrayList<>(view.members());
        if (members.size() > 2) {
            members.remove(random.nextInt(members.size()));
        }
        View made = new View(ballot, members, List.of(new View.Part(view.id(), members, new TreeMap<>())));
        Packet lie = packet().append(frame, 0, KIND_OFFSET).appendByte(CUT);
        Wire.append(lie, ballot);
        Wire.append(lie, made);
        members.forEach(member -> lie.appendLong(2));
        return count("decision", bytes(lie.appendInt(0)));
    }

    /** A question that changes nothing. */
    private byte[] silence(byte[] frame) {
        byte[] lie = Arrays.copyOf(frame, KIND_OFFSET + 1);
        lie[KIND_OFFSET] = WHO;
        return lie;
    }

    private static byte[] kind(byte[] frame, int kind) {
        byte[] lie = frame.clone();
        lie[KIND_OFFSET] = (byte) kind;
        return lie;
    }

    /** What another one has said, under its own number. */
    private byte[] asOwn(byte[] frame, List<byte[]> others) {
        if (others.isEmpty()) {
            return frame;
        }
        byte[] lie = others.get(random.nextInt(others.size())).clone();
        System.arraycopy(frame, 0, lie, 0, KIND_OFFSET);
        return lie;
    }

    /** The first member that a decision names is its proposer. */
    private boolean isProposedBySelf(byte[] frame) {
        for (NodeId node : nodes()) {
            if (node.name().equals("n" + number)) {
                byte[] self = encoded(node);
                int at = KIND_OFFSET + 1 + Long.BYTES + Integer.BYTES;
                return frame.length >= at + self.length
                        && Arrays.equals(frame, at, at + self.length, self, 0, self.length);
            }
        }
        return false;
    }

    /**
     * Numbers of its own data in FIFO groups, and what it says about the data of others. What it was asked for, or has to
     * pass on, is theirs: another content there is what nobody can tell.
     */
    private byte[] data(SimulatedNode to, byte[] frame) {
        int above = frame[KIND_OFFSET + 1];
        if (above == REPAIR) {
            return random.nextBoolean() ? frame : count("silence", silence(frame));
        }
        byte[] lie = frame.clone();
        if (above < ACK_ABOVE || above == RELAYED) {
            if (!isFifo || above == RELAYED && isRelayTo(to)) {
                return frame;
            }
            number(lie, KIND_OFFSET + 2 + random.nextInt(HEADER_BYTES - Long.BYTES));
        } else if (random.nextInt(4) == 0) {
            lie = asOwn(frame, repairs);
            if (lie[KIND_OFFSET + 1] == RELAYED && isRelayTo(to)) {
                return frame;
            }
        } else {
            number(lie, KIND_OFFSET + 2 + random.nextInt(lie.length - KIND_OFFSET - 1));
        }
        return count("data-" + lie[KIND_OFFSET + 1], lie);
    }

    /** A number, or a member for another. */
    private byte[] change(byte[] frame) {
        byte[] lie = frame.clone();
        for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
            lie = random.nextBoolean() ? swap(lie) : number(lie);
        }
        return lie;
    }

    private byte[] swap(byte[] frame) {
        List<NodeId> all = nodes();
        NodeId before = all.get(random.nextInt(all.size()));
        NodeId after = random.nextInt(6) == 0 ? invented() : all.get(random.nextInt(all.size()));
        byte[] old = encoded(before);
        byte[] other = encoded(after);
        int at = find(frame, old, random.nextInt(frame.length));
        if (at < 0) {
            return frame;
        }
        byte[] lie = new byte[frame.length - old.length + other.length];
        System.arraycopy(frame, 0, lie, 0, at);
        System.arraycopy(other, 0, lie, at, other.length);
        System.arraycopy(frame, at + old.length, lie, at + other.length, frame.length - at - old.length);
        return lie;
    }

    /** The number of a view before its proposer, what is said of a member behind it, or any bytes. */
    private byte[] number(byte[] frame) {
        byte[] lie = frame.clone();
        List<NodeId> all = nodes();
        byte[] member = encoded(all.get(random.nextInt(all.size())));
        int at = find(lie, member, random.nextInt(lie.length));
        int before = at - Integer.BYTES - Long.BYTES;
        int behind = at + member.length + Integer.BYTES;
        switch (random.nextInt(3)) {
            case 0 -> number(lie, at >= 0 && before > KIND_OFFSET ? before : lie.length - 1);
            case 1 -> number(lie, at >= 0 && behind + Long.BYTES <= lie.length ? behind : Math.max(KIND_OFFSET + 1, lie.length - Long.BYTES));
            default -> number(lie, Math.min(lie.length - 1, KIND_OFFSET + 1 + random.nextInt(lie.length - KIND_OFFSET)));
        }
        return lie;
    }

    private void number(byte[] lie, int at) {
        ByteBuffer bytes = ByteBuffer.wrap(lie);
        long value = NUMBERS[random.nextInt(NUMBERS.length)];
        if (at + Long.BYTES <= lie.length) {
            long near = bytes.getLong(at) + random.nextInt(-2, 4);
            bytes.putLong(at, random.nextBoolean() ? near : value);
        } else if (at > KIND_OFFSET && at < lie.length) {
            lie[at] = (byte) value;
        }
    }

    // ------------------------------------------------------------------ bytes

    /** From a place on, and from the beginning if there is none behind it; -1 if there is none. */
    private static int find(byte[] frame, byte[] wanted, int from) {
        for (int round = 0; round < 2; round++) {
            int start = round == 0 ? Math.max(from, KIND_OFFSET + 1) : KIND_OFFSET + 1;
            for (int at = start; at + wanted.length <= frame.length; at++) {
                if (Arrays.equals(frame, at, at + wanted.length, wanted, 0, wanted.length)) {
                    return at;
                }
            }
        }
        return -1;
    }

    private static byte[] encoded(NodeId node) {
        Packet packet = packet();
        Wire.append(packet, node);
        return bytes(packet);
    }

    private static Packet packet() {
        return Packet.create(Memory.onHeap(), 64 * 1024);
    }

    private static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }
}
