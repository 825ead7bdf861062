package dev.tutti.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** How the vocabulary is written into packets; {@code docs/wire.md} has the layouts. */
public final class Wire {

    private Wire() {}

    public static void append(Packet packet, NodeId node) {
        packet.appendLong(node.incarnation()).appendText(node.name()).appendText(node.address());
    }

    public static NodeId takeNode(Packet packet) {
        long incarnation = packet.takeLong();
        String name = packet.takeText();
        String address = packet.takeText();
        if (name.length() > NodeId.TEXT_MAX || address.length() > NodeId.TEXT_MAX) {
            packet.markMalformed();
            return NOBODY.node();
        }
        return new NodeId(incarnation, name, address);
    }

    public static void append(Packet packet, Member member) {
        append(packet, member.node());
        packet.appendInt(member.join());
    }

    public static Member takeMember(Packet packet, Members known) {
        long incarnation = packet.length() < MEMBER_BYTES_MIN ? 0 : packet.peekLong(0);
        int nameBytes = packet.peekInt(8);
        int addressBytes = nameBytes < 0 || TEXT_BYTES_MAX < nameBytes ? -1 : packet.peekInt(12 + nameBytes);
        if (addressBytes < 0 || TEXT_BYTES_MAX < addressBytes) {
            packet.markMalformed();
            return NOBODY;
        }
        int textBytes = 8 + nameBytes + addressBytes;
        Member member = known.find(incarnation, packet.peekInt(8 + textBytes), textBytes);
        if (member != null) {
            packet.skip(8 + textBytes + 4);
            return member;
        }
        member = new Member(takeNode(packet), packet.takeInt());
        if (!packet.isMalformed()) {
            known.add(member, textBytes);
        }
        return member;
    }

    /** Bytes that {@link #append(Packet, Member)} takes. */
    public static int bytes(Member member) {
        return MEMBER_BYTES_MIN + utf8Bytes(member.node().name()) + utf8Bytes(member.node().address());
    }

    private static int utf8Bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    public static void append(Packet packet, ViewId id) {
        packet.appendLong(id.number()).appendInt(id.attempt());
        append(packet, id.proposer());
    }

    public static ViewId takeViewId(Packet packet, Members known) {
        return new ViewId(packet.takeLong(), packet.takeInt(), takeMember(packet, known));
    }

    public static void append(Packet packet, List<Member> members) {
        packet.appendInt(members.size());
        for (Member member : members) {
            append(packet, member);
        }
    }

    public static List<Member> takeMembers(Packet packet, Members known) {
        int count = packet.takeCount(MEMBER_BYTES_MIN);
        List<Member> members = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            members.add(takeMember(packet, known));
        }
        return members;
    }

    /** A vector: per sender a number. */
    public static void append(Packet packet, TreeMap<Member, Long> vector) {
        packet.appendInt(vector.size());
        vector.forEach((sender, number) -> {
            append(packet, sender);
            packet.appendLong(number);
        });
    }

    public static TreeMap<Member, Long> takeVector(Packet packet, Members known) {
        int count = packet.takeCount(MEMBER_BYTES_MIN + 8);
        TreeMap<Member, Long> vector = new TreeMap<>();
        for (int index = 0; index < count; index++) {
            Member sender = takeMember(packet, known);
            long number = packet.takeLong();
            if (number < 0) {
                packet.markMalformed();
            }
            vector.put(sender, number);
        }
        return vector;
    }

    public static void append(Packet packet, View view) {
        append(packet, view.id());
        append(packet, view.members());
        packet.appendInt(view.parts().size());
        for (View.Part part : view.parts()) {
            append(packet, part.previous());
            append(packet, part.members());
            append(packet, part.cut());
        }
    }

    /** A view record; of nobody, and the packet malformed, if it has no members. */
    public static View takeView(Packet packet, Members known) {
        ViewId id = takeViewId(packet, known);
        List<Member> members = takeMembers(packet, known);
        int partCount = packet.takeCount(VIEW_ID_BYTES_MIN + 8);
        List<View.Part> parts = new ArrayList<>(partCount);
        for (int index = 0; index < partCount; index++) {
            parts.add(new View.Part(takeViewId(packet, known), takeMembers(packet, known), takeVector(packet, known)));
        }
        if (members.isEmpty()) {
            packet.markMalformed();
            return View.alone(NOBODY);
        }
        return new View(id, members, parts);
    }

    /** The view that a data packet was sent in: number, attempt, the proposer's incarnation and join. */
    public static void prependTag(Packet packet, ViewId id) {
        packet.prependInt(id.proposer().join());
        packet.prependLong(id.proposer().node().incarnation());
        packet.prependInt(id.attempt());
        packet.prependLong(id.number());
    }

    /** Whether the packet carries the tag of {@code id}, which is taken. */
    public static boolean takesTag(Packet packet, ViewId id) {
        long number = packet.takeLong();
        int attempt = packet.takeInt();
        long incarnation = packet.takeLong();
        int join = packet.takeInt();
        return number == id.number()
                && attempt == id.attempt()
                && incarnation == id.proposer().node().incarnation()
                && join == id.proposer().join();
    }

    /** Bytes of a view tag. */
    public static final int TAG_BYTES = 24;

    /** Bytes of a member whose name and address are empty. */
    public static final int MEMBER_BYTES_MIN = 8 + 4 + 4 + 4;
    private static final int TEXT_BYTES_MAX = 4 * NodeId.TEXT_MAX;

    private static final int VIEW_ID_BYTES_MIN = 8 + 4 + MEMBER_BYTES_MIN;
    private static final Member NOBODY = new Member(new NodeId(0, "nobody", ""), 0);
}
