package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Messages and records of members of a group with a primary partition. */
public final class MembershipBytes {

    private static final List<String> FOUNDERS = List.of("n1", "n2", "n3");
    private static final int RECORD_FORMAT = 1;

    private MembershipBytes() {}

    /** Returns a message of each kind from {@link MembershipMessage#PROPOSE} to {@link MembershipMessage#RELEASED}, about a ballot. */
    public static List<byte[]> messages(ViewId ballot, View view) {
        View next = next(ballot, view);
        long[] since = new long[view.size()];
        TreeMap<Member, Member> holders = new TreeMap<>();
        view.members().forEach(member -> holders.put(member, view.members().getFirst()));
        return List.of(
                bytes(Control.propose(ballot, next, since, holders, true)),
                bytes(Control.propose(ballot, next, since, new TreeMap<>(), false)),
                bytes(Control.note(MembershipMessage.ACCEPTED, ballot)),
                bytes(Control.note(MembershipMessage.INSTALL, ballot)),
                bytes(Control.learn(ballot, PrimaryChain.Primary.of(next))),
                bytes(Control.wait(ballot, view.members(), "waits for n3")),
                // One byte too many, to tell it from a frame that ends early.
                bytes(Control.message(MembershipMessage.LEAVING, 2).appendByte(0)),
                bytes(Control.note(MembershipMessage.RECORDED, ballot)),
                bytes(Control.message(MembershipMessage.RELEASED, 2).appendByte(0)));
    }

    /** Returns the ballot that causes {@link #messages}. */
    public static byte[] prepare(ViewId ballot, View view) {
        return bytes(Control.prepare(ballot, view.id()));
    }

    /** Returns an answer to a ballot, from a member that has accepted something before. */
    public static byte[] ack(ViewId ballot, View view) {
        PrimaryChain.Primary last = view.isPrimary() ? PrimaryChain.Primary.of(view) : PrimaryChain.founding(FOUNDERS);
        PrimaryChain.Proposal accepted = new PrimaryChain.Proposal(ballot, next(ballot, view), since(view));
        PrimaryChain.Vote vote = new PrimaryChain.Vote(7, last, accepted);
        return bytes(Control.ack(ballot, new Ballot.Answer(view, new TreeMap<>(), vote), true));
    }

    private static View next(ViewId ballot, View view) {
        List<Long> voters = since(view);
        View.Primary primary = view.primary();
        long epoch = primary == null ? 1 : primary.epoch() + 1;
        List<View.Part> parts = List.of(new View.Part(view.id(), view.members(), new TreeMap<>()));
        return new View(ballot, view.members(), parts, new View.Primary(epoch, view.id(), voters, List.of(9L)));
    }

    private static List<Long> since(View view) {
        List<Long> numbers = new ArrayList<>();
        view.members().forEach(member -> numbers.add(member.node().incarnation()));
        return numbers;
    }

    // ------------------------------------------------------------------ kinds of messages that name many

    /** Appends a view that has ended, with as many voters as fit. */
    public static void crowdOfVoters(Packet packet, ViewId ballot) {
        packet.appendByte(MembershipMessage.LEARN);
        Wire.append(packet, ballot);
        Wire.append(packet, ballot);
        numbers(packet.appendLong(5));
    }

    /** Appends a proposal with as many electors as fit. */
    public static void crowdOfElectors(Packet packet, View view, ViewId ballot) {
        packet.appendByte(MembershipMessage.PROPOSE);
        Wire.append(packet, ballot);
        Wire.append(packet, view);
        packet.appendLong(5);
        Wire.append(packet, ballot);
        Wire.appendLongs(packet, since(view));
        numbers(packet);
    }

    /** Appends a list of waiting members, all of them unknown, as many as fit. */
    public static void crowdOfWaiting(Packet packet, ViewId ballot) {
        packet.appendByte(MembershipMessage.WAIT);
        Wire.append(packet, ballot);
        int count = (packet.room() - 64) / Wire.MEMBER_BYTES_MIN;
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            Wire.append(packet, new Member(new NodeId(1_000L + index, "", ""), index));
        }
        packet.appendText("waits");
    }

    private static void numbers(Packet packet) {
        int count = (packet.room() - 64) / 8;
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            packet.appendLong(1_000_000L + index);
        }
    }

    // ------------------------------------------------------------------ records

    /** Reads a record, as a starting member does. */
    public static String record(byte[] input) {
        Member self = new Member(new NodeId(1, "n1", "n1:7800"), 1);
        PrimaryChain chain = new PrimaryChain(self, FOUNDERS, 1);
        Packet packet = Packet.create(Memory.onHeap(), Math.max(1, input.length)).append(input, 0, input.length);
        try {
            ViewId promised = chain.load(packet, new Members(), new SplittableRandom(1));
            if (promised == null || !chain.isLoaded()) {
                throw new IllegalStateException("taken without a promise");
            }
        } catch (IllegalArgumentException e) {
            return "refused";
        }
        chain.isMajorityAlone(self);
        return chain.vote().accepted() == null ? "taken" : "taken with what was accepted";
    }

    /** Returns records with and without an accepted view, and one of very many voters. */
    public static List<byte[]> records() {
        Member one = new Member(new NodeId(101, "n1", "n1:7800"), 1);
        Member two = new Member(new NodeId(102, "n2", "n2:7800"), 1);
        ViewId ballot = new ViewId(7, 2, one);
        View view = new View(new ViewId(6, 1, two), List.of(one, two), List.of(
                new View.Part(View.alone(one).id(), List.of(one), new TreeMap<>()),
                new View.Part(View.alone(two).id(), List.of(two), new TreeMap<>())));
        Packet crowd = record(ballot, PrimaryChain.founding(FOUNDERS)).appendBoolean(false);
        return List.of(
                bytes(crowd),
                bytes(accepted(record(ballot, PrimaryChain.Primary.of(next(ballot, view))), ballot, next(ballot, view))),
                manyVoters(ballot));
    }

    private static Packet record(ViewId promised, PrimaryChain.Primary last) {
        Packet record = Packet.create(Memory.onHeap(), 4_096).appendInt(RECORD_FORMAT).appendLong(77);
        PrimaryChain.append(record, last);
        Wire.append(record, promised);
        return record;
    }

    private static Packet accepted(Packet record, ViewId ballot, View proposed) {
        record.appendBoolean(true);
        Wire.append(record, ballot);
        Wire.append(record, proposed);
        View.Primary primary = proposed.primary();
        if (primary != null) {
            Wire.append(record, primary);
        }
        Wire.appendLongs(record, since(proposed));
        return record;
    }

    private static byte[] manyVoters(ViewId ballot) {
        Packet record = Packet.create(Memory.onHeap(), Packet.PAYLOAD_MAX).appendInt(RECORD_FORMAT).appendLong(77);
        Wire.append(record, ballot);
        numbers(record.appendLong(5));
        Wire.append(record, ballot);
        return bytes(record.appendBoolean(false));
    }

    private static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }
}
