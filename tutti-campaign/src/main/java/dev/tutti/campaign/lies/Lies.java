package dev.tutti.campaign.lies;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Frames that a member sends instead of its own, drawn from a seed. It lies in any field of any message, repeats
 * messages of others as its own, and sends unprompted messages; or it tells one kind of lie, again and again ({@link
 * Theme}).
 *
 * <p>A lie takes the place of a frame, so that the session goes on: a wrong count of frames is detected by links, which
 * end the session. Lies that no check of a single message can detect are left out, and named in docs/design/peers.md: a
 * coordinator that tells members of one view different decisions, and, in orders other than FIFO, a sender that tells
 * them different data.
 */
public final class Lies {

    /** Types of frames. */
    private static final int HEARTBEAT = 4;

    private static final int GROUP_JOINED = 17;

    /** Version of the group's packets in an invented announcement. */
    private static final int VERSION = 2;

    private static final int PEERS = 20;
    private static final int GROUP = 32;

    /** Kinds of messages of membership, in the byte after the number of the sender's membership. */
    private static final int DATA = 0;

    private static final int ADVERT = 1;
    private static final int PREPARE = 2;
    private static final int ACK = 3;
    private static final int NACK = 4;
    private static final int CUT = 5;
    private static final int WHO = 6;
    private static final int CONTROL_MAX = 14;
    private static final int KIND_OFFSET = 5;

    /** Kinds of messages of reliability, in the byte after that; lower ones carry the application's data. */
    private static final int ACK_ABOVE = 2;

    private static final int FETCH = 4;
    private static final int REPAIR = 5;
    private static final int RELAYED = 8;

    /** Offset of the number of a RELAYED: behind a tag and two ranks. */
    private static final int RELAYED_NUMBER = KIND_OFFSET + 2 + 24 + 2 * Integer.BYTES;

    /** Length of the shortest header that reliability writes before the application's data. */
    private static final int HEADER_BYTES = 40;

    private static final int REMEMBERED_MAX = 64;

    private static final long[] NUMBERS = {
        0, 1, 2, -1, Integer.MAX_VALUE, 1L << 32, (1L << 32) + 7, 1L << 61, 1L << 62, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE
    };

    /** Largest distance of a forged packet number from the last one seen. */
    private static final int AHEAD_MAX = 3;

    private final Ground ground;
    private final SplittableRandom random;
    private final int truths;
    private final boolean isFifo;
    private final Theme theme;

    /** Messages of others in groups, which the liar repeats. */
    private final List<byte[]> heard = new ArrayList<>();

    /** Packets that others have sent again, relayed or asked for. */
    private final List<byte[]> repairs = new ArrayList<>();

    /** Repairs that the liar was not asked for, by receiver; sent instead of the next frame. */
    private final TreeMap<String, byte[]> due = new TreeMap<>();

    private final TreeMap<String, Long> told = new TreeMap<>();

    /** @param isFifo whether the group's only order is FIFO: there the numbers of its own data may be anything */
    public Lies(Ground ground, Theme theme, boolean isFifo, SplittableRandom random) {
        this.ground = ground;
        this.random = random;
        this.isFifo = isFifo;
        this.theme = theme;
        this.truths = 1 << random.nextInt(theme == Theme.ANYTHING ? 6 : 2);
    }

    /** Returns how often each kind of lie was told. */
    public TreeMap<String, Long> told() {
        return told;
    }

    /**
     * Takes note of a frame of another member.
     *
     * @param from name of its node
     * @param isToSelf whether the frame is for the lying member, whose answer to a request for a repair may be anything
     */
    public void hear(String from, boolean isToSelf, byte[] frame) {
        remember(frame);
        if (theme == Theme.REPAIRS && !isToSelf) {
            forgeRepair(from, frame);
        }
    }

    /**
     * Returns the frame to send instead of {@code frame}: itself, or another one that links take for the same kind.
     *
     * @param to name of the receiving node
     */
    public byte[] instead(String to, byte[] frame) {
        if (frame.length < 2) {
            return frame;
        }
        byte[] repair = frame[0] == GROUP ? due.remove(to) : null;
        if (repair != null) {
            return count("repair", repair);
        }
        boolean isSteady = theme == Theme.SILENCE || theme == Theme.REPAIRS;
        if (!isSteady && random.nextInt(truths + 1) < truths) {
            return frame;
        }
        return switch (theme) {
            case ANYTHING -> anything(to, frame);
            case VERDICTS -> frame[0] == HEARTBEAT ? heartbeat(frame) : frame;
            case SILENCE -> isControl(frame, ACK) ? count("silence", silence(frame)) : frame;
            case AGE -> age(frame);
            case DECISIONS -> isControl(frame, ACK) ? decision(frame) : frame;
            case INVENTED_MEMBERS -> isControl(frame, CUT) ? withInvented(frame) : frame;
            case NUMBERS -> near(frame);
            case CLAIMS -> isControl(frame, ACK) ? claim(frame) : frame;
            case PASSING_ON -> passOn(to, frame);
            case REPAIRS -> isRepair(frame) ? leaveOutSome(frame) : frame;
            case ADDRESSES -> frame[0] == PEERS || frame[0] == GROUP ? random.nextInt(4) > 0 ? peers() : joined() : frame;
        };
    }

    private byte[] anything(String to, byte[] frame) {
        return switch (frame[0]) {
            case HEARTBEAT -> heartbeat(frame);
            case PEERS -> random.nextBoolean() ? peers() : joined();
            case GROUP -> group(to, frame);
            default -> frame;
        };
    }

    private static boolean isControl(byte[] frame, int kind) {
        return frame[0] == GROUP && frame.length > KIND_OFFSET + 1 && frame[KIND_OFFSET] == kind;
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

    /** Makes a heartbeat that lists random nodes as silent, judged, gone and never met. */
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

    /** Makes a list of addresses at which there is no node. */
    private byte[] peers() {
        Packet lie = packet().appendByte(PEERS).appendLong(random.nextLong());
        int count = 1 + random.nextInt(64);
        lie.appendInt(count);
        for (int index = 0; index < count; index++) {
            lie.appendText("nowhere-" + random.nextInt(10_000) + ":7800");
        }
        return count("peers", bytes(lie));
    }

    /** Makes a message of membership in an invented group. */
    private byte[] joined() {
        Packet lie = packet().appendByte(GROUP_JOINED).appendInt(2 + random.nextInt(1_000_000));
        lie.appendText("invented-" + random.nextLong()).appendByte(VERSION).appendText("x".repeat(random.nextInt(2_000))).appendLong(1L << 40);
        return count("joined", bytes(lie));
    }

    private List<NodeId> some() {
        List<NodeId> some = new ArrayList<>();
        for (NodeId node : ground.nodes()) {
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

    // ------------------------------------------------------------------ one kind of lie

    private static Packet fieldsOf(byte[] frame) {
        return packet().append(frame, KIND_OFFSET + 1, frame.length - KIND_OFFSET - 1);
    }

    private static Packet control(byte[] frame, int kind) {
        return packet().append(frame, 0, KIND_OFFSET).appendByte(kind);
    }

    /** Claims the greatest age in adverts, and asks no member in ballots. */
    private byte[] age(byte[] frame) {
        if (isControl(frame, PREPARE)) {
            return count("idle", silence(frame));
        }
        if (!isControl(frame, ADVERT)) {
            return frame;
        }
        Packet fields = fieldsOf(frame);
        Members known = new Members();
        Packet lie = control(frame, ADVERT);
        Wire.append(lie, Wire.takeViewId(fields, known));
        Wire.append(lie, Wire.takeViewId(fields, known));
        Wire.append(lie, Wire.takeMember(fields, known));
        fields.takeLong();
        lie.appendLong(2);
        return fields.isMalformed() ? frame : count("age", bytes(rest(lie, fields)));
    }

    /** Makes a promise or a refusal with a number that leaves none after it. */
    private byte[] near(byte[] frame) {
        boolean isAdvert = isControl(frame, ADVERT);
        if (!isAdvert && !isControl(frame, ACK)) {
            return frame;
        }
        Packet fields = fieldsOf(frame);
        Members known = new Members();
        ViewId first = Wire.takeViewId(fields, known);
        ViewId promised = new ViewId(Long.MAX_VALUE - random.nextInt(3), 1, first.proposer());
        Packet lie = control(frame, isAdvert ? ADVERT : NACK);
        Wire.append(lie, first);
        Wire.append(lie, promised);
        if (isAdvert) {
            Wire.takeViewId(fields, known);
            return fields.isMalformed() ? frame : count("number", bytes(rest(lie, fields)));
        }
        lie.appendLong(promised.number());
        Wire.append(lie, first.proposer());
        return fields.isMalformed() ? frame : count("number", bytes(lie));
    }

    /** Claims to have more packets of every member than there can be. */
    private byte[] claim(byte[] frame) {
        View view = ground.view();
        Packet fields = fieldsOf(frame);
        Members known = new Members();
        Packet lie = control(frame, ACK);
        Wire.append(lie, Wire.takeViewId(fields, known));
        boolean isWhole = fields.takeBoolean();
        lie.appendBoolean(isWhole);
        if (isWhole) {
            Wire.append(lie, Wire.takeView(fields, known));
        } else {
            Wire.append(lie, Wire.takeViewId(fields, known));
        }
        TreeMap<Member, Long> received = Wire.takeVector(fields, known);
        if (view == null || fields.isMalformed()) {
            return frame;
        }
        view.members().forEach(member -> received.merge(member, 1L + random.nextInt(20), Long::sum));
        Wire.append(lie, received);
        return count("claim", bytes(lie));
    }

    /** Adds a member that does not exist to its decision. */
    private byte[] withInvented(byte[] frame) {
        Packet fields = fieldsOf(frame);
        Members known = new Members();
        ViewId ballot = Wire.takeViewId(fields, known);
        View decided = Wire.takeView(fields, known);
        Packet lie = control(frame, CUT);
        Member nobody = new Member(invented(), 1);
        List<Member> members = new ArrayList<>(decided.members());
        members.add(nobody);
        List<View.Part> parts = new ArrayList<>(decided.parts());
        parts.add(new View.Part(View.alone(nobody).id(), List.of(nobody), new TreeMap<>()));
        Wire.append(lie, ballot);
        Wire.append(lie, new View(decided.id(), members, parts));
        decided.members().forEach(member -> lie.appendLong(fields.takeLong()));
        lie.appendLong(Math.max(1, decided.id().number()));
        return fields.isMalformed() ? frame : count("invented-member", bytes(rest(lie, fields)));
    }

    /** Relays the next packet of another member before that has sent it. */
    private byte[] passOn(String to, byte[] frame) {
        if (frame[0] != GROUP || frame[KIND_OFFSET] != DATA || frame[KIND_OFFSET + 1] == REPAIR || ground.isRelayTo(to)) {
            return frame;
        }
        for (int index = repairs.size() - 1; index >= 0; index--) {
            byte[] last = repairs.get(index);
            if (last[KIND_OFFSET + 1] == RELAYED) {
                return count("passed-on", forged(frame, last, RELAYED_NUMBER));
            }
        }
        return frame;
    }

    /** Changes a packet to a number after its own, and flips a bit in the last byte of its content. */
    private byte[] forged(byte[] own, byte[] other, int numberOffset) {
        byte[] lie = other.clone();
        System.arraycopy(own, 0, lie, 0, KIND_OFFSET);
        ByteBuffer bytes = ByteBuffer.wrap(lie);
        bytes.putLong(numberOffset, bytes.getLong(numberOffset) + 1 + random.nextInt(AHEAD_MAX));
        lie[lie.length - 1] ^= 1;
        return lie;
    }

    private static boolean isRepair(byte[] frame) {
        return isControl(frame, DATA) && frame[KIND_OFFSET + 1] == REPAIR;
    }

    /** Leaves out every other repair, so that those behind it come with a gap. */
    private byte[] leaveOutSome(byte[] frame) {
        return random.nextBoolean() ? frame : count("silence", silence(frame));
    }

    /** Prepares a forged repair for a member that asks another one for packets of a sender. */
    private void forgeRepair(String from, byte[] frame) {
        if (frame[0] != GROUP || frame.length < KIND_OFFSET + 2 || frame[KIND_OFFSET] != DATA || frame[KIND_OFFSET + 1] != FETCH) {
            return;
        }
        Packet fields = packet().append(frame, KIND_OFFSET + 2, frame.length - KIND_OFFSET - 2);
        Members known = new Members();
        ViewId view = Wire.takeViewId(fields, known);
        int count = fields.takeInt();
        Member sender = Wire.takeMember(fields, known);
        long first = fields.takeLong();
        if (count < 1 || fields.isMalformed()) {
            return;
        }
        Packet lie = packet().append(frame, 0, KIND_OFFSET).appendByte(DATA).appendByte(REPAIR);
        Member proposer = view.proposer();
        lie.appendLong(view.number()).appendInt(view.attempt()).appendLong(proposer.node().incarnation()).appendInt(proposer.join());
        lie.appendLong(sender.node().incarnation()).appendInt(sender.join()).appendLong(first);
        // One message of four bytes that was never sent, as packing writes it.
        lie.appendByte(0).appendInt(4).appendInt(random.nextInt());
        due.put(from, bytes(lie));
    }

    private static Packet rest(Packet lie, Packet fields) {
        byte[] left = bytes(fields);
        return lie.append(left, 0, left.length);
    }

    // ------------------------------------------------------------------ groups

    private byte[] group(String to, byte[] frame) {
        if (frame.length <= KIND_OFFSET + 1) {
            return frame;
        }
        if (frame[KIND_OFFSET] == DATA) {
            return data(to, frame);
        }
        if (frame[KIND_OFFSET] == CUT) {
            // The others can cope with silence, but not with decisions that differ from member to member.
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

    /** Makes a decision on an invented view instead of an answer to a ballot, as if it had run the ballot. */
    private byte[] decision(byte[] frame) {
        View view = ground.view();
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

    /** Makes a question that changes nothing. */
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

    /** Repeats a message of another member under its own number. */
    private byte[] asOwn(byte[] frame, List<byte[]> others) {
        if (others.isEmpty()) {
            return frame;
        }
        byte[] lie = others.get(random.nextInt(others.size())).clone();
        System.arraycopy(frame, 0, lie, 0, KIND_OFFSET);
        return lie;
    }

    /** Reports whether this node has proposed a decision: the first member that it names is its proposer. */
    private boolean isProposedBySelf(byte[] frame) {
        NodeId proposer = ground.self();
        if (proposer == null) {
            return false;
        }
        byte[] self = encoded(proposer);
        int at = KIND_OFFSET + 1 + Long.BYTES + Integer.BYTES;
        return frame.length >= at + self.length && Arrays.equals(frame, at, at + self.length, self, 0, self.length);
    }

    /**
     * Changes numbers of its own data in FIFO groups, and its statements about the data of others. It leaves alone
     * repairs that it was asked for, and packets that it has to relay: no receiver can detect changed contents of
     * these.
     */
    private byte[] data(String to, byte[] frame) {
        int above = frame[KIND_OFFSET + 1];
        if (above == REPAIR) {
            return leaveOutSome(frame);
        }
        byte[] lie = frame.clone();
        if (above < ACK_ABOVE || above == RELAYED) {
            if (!isFifo || above == RELAYED && ground.isRelayTo(to)) {
                return frame;
            }
            number(lie, KIND_OFFSET + 2 + random.nextInt(HEADER_BYTES - Long.BYTES));
        } else if (random.nextInt(4) == 0) {
            lie = asOwn(frame, repairs);
            if (lie[KIND_OFFSET + 1] == RELAYED && ground.isRelayTo(to)) {
                return frame;
            }
        } else {
            number(lie, KIND_OFFSET + 2 + random.nextInt(lie.length - KIND_OFFSET - 1));
        }
        return count("data-" + lie[KIND_OFFSET + 1], lie);
    }

    /** Changes numbers, or replaces a member by another. */
    private byte[] change(byte[] frame) {
        byte[] lie = frame.clone();
        for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
            lie = random.nextBoolean() ? swap(lie) : number(lie);
        }
        return lie;
    }

    private byte[] swap(byte[] frame) {
        List<NodeId> all = ground.nodes();
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

    /** Changes the number of a view before its proposer, the number behind a member, or any bytes. */
    private byte[] number(byte[] frame) {
        byte[] lie = frame.clone();
        List<NodeId> all = ground.nodes();
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

    /** Finds bytes from an offset on, then from the beginning; returns -1 if there are none. */
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
