package dev.tutti.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Encoding of the core types in packets; {@code docs/wire.md} has the layouts. */
public final class Wire {

    private Wire() {}

    public static void append(Packet packet, NodeId node) {
        packet.appendLong(node.incarnation()).appendText(node.name()).appendText(node.address());
    }

    public static NodeId takeNode(Packet packet) {
        long incarnation = packet.takeLong();
        String name = packet.takeText(TEXT_BYTES_MAX);
        String address = packet.takeText(TEXT_BYTES_MAX);
        if (!NodeId.isText(name) || !NodeId.isText(address)) {
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
        if (packet.length() < 8 + textBytes + 4 || !known.admitsNew(packet)) {
            packet.markMalformed();
            return NOBODY;
        }
        int start = packet.offset() + 8 + 4;
        String name = known.text(packet, start, nameBytes);
        String address = known.text(packet, start + nameBytes + 4, addressBytes);
        packet.skip(8 + textBytes);
        int join = packet.takeInt();
        if (!NodeId.isText(name) || !NodeId.isText(address)) {
            packet.markMalformed();
            return NOBODY;
        }
        member = new Member(new NodeId(incarnation, name, address), join);
        known.add(member, textBytes);
        return member;
    }

    /** Returns the bytes that {@link #append(Packet, Member)} takes at most: a character has up to three. */
    public static int bytesMax(Member member) {
        return MEMBER_BYTES_MIN + 3 * (member.node().name().length() + member.node().address().length());
    }

    /** Returns the bytes that {@link #append(Packet, TreeMap)} takes at most. */
    public static long bytesMax(TreeMap<Member, Long> vector) {
        long bytes = 4;
        for (Member sender : vector.navigableKeySet()) {
            bytes += 8 + bytesMax(sender);
        }
        return bytes;
    }

    /** Returns the bytes that {@link #append(Packet, View)} takes at most. */
    public static long bytesMax(View view) {
        long bytes = 64 + bytesMax(view.id().proposer());
        for (Member member : view.members()) {
            bytes += 4 + bytesMax(member);
        }
        for (View.Part part : view.parts()) {
            bytes += 64 + bytesMax(part.previous().proposer()) + 4L * part.members().size() + bytesMax(part.cut());
        }
        return bytes;
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

    /** Takes a list of members, at most {@link #MEMBERS_MAX}. */
    public static List<Member> takeMembers(Packet packet, Members known) {
        int count = takeMemberCount(packet, MEMBER_BYTES_MIN);
        List<Member> members = new ArrayList<>(count);
        for (int index = 0; index < count && !packet.isMalformed(); index++) {
            members.add(takeMember(packet, known));
        }
        return members;
    }

    /** Appends a vector: per sender a number. Zeros are not written: a sender that is not in it has 0. */
    public static void append(Packet packet, TreeMap<Member, Long> vector) {
        int count = 0;
        for (long number : vector.values()) {
            count += number == 0 ? 0 : 1;
        }
        packet.appendInt(count);
        vector.forEach((sender, number) -> {
            if (number != 0) {
                append(packet, sender);
                packet.appendLong(number);
            }
        });
    }

    public static TreeMap<Member, Long> takeVector(Packet packet, Members known) {
        int count = takeMemberCount(packet, MEMBER_BYTES_MIN + 8);
        TreeMap<Member, Long> vector = new TreeMap<>();
        for (int index = 0; index < count && !packet.isMalformed(); index++) {
            Member sender = takeMember(packet, known);
            long number = packet.takeLong();
            if (number < 0) {
                packet.markMalformed();
            }
            vector.put(sender, number);
        }
        return vector;
    }

    /**
     * Appends a view record: members by rank, and parts by the ranks of their members, in the order of the views that
     * they come from. A member from a view of itself alone in which nothing was sent is only represented by its rank.
     */
    public static void append(Packet packet, View view) {
        append(packet, view.id());
        append(packet, view.members());
        Map<Member, Integer> ranks = new HashMap<>();
        for (int rank = 0; rank < view.size(); rank++) {
            ranks.put(view.members().get(rank), rank);
        }
        List<Member> newcomers = new ArrayList<>();
        List<View.Part> parts = new ArrayList<>();
        for (View.Part part : view.parts()) {
            if (part.isNewcomer() && part.cut().isEmpty()) {
                newcomers.add(part.members().getFirst());
            } else {
                parts.add(part);
            }
        }
        appendRanks(packet, newcomers, ranks);
        packet.appendInt(parts.size());
        for (View.Part part : parts) {
            append(packet, part.previous());
            appendRanks(packet, part.members(), ranks);
            append(packet, part.cut());
        }
    }

    private static int takeMemberCount(Packet packet, int elementBytesMin) {
        int count = packet.takeCount(elementBytesMin);
        if (count > MEMBERS_MAX) {
            packet.markMalformed();
            return 0;
        }
        return count;
    }

    private static void appendRanks(Packet packet, List<Member> members, Map<Member, Integer> ranks) {
        packet.appendInt(members.size());
        for (Member member : members) {
            Integer rank = ranks.get(member);
            if (rank == null) {
                throw new IllegalArgumentException(member + " is in a part of the view and not in the view");
            }
            packet.appendInt(rank);
        }
    }

    /** Takes a view record. If it has no members, returns a view of nobody, and the packet is malformed. */
    public static View takeView(Packet packet, Members known) {
        ViewId id = takeViewId(packet, known);
        List<Member> members = takeMembers(packet, known);
        List<Member> newcomers = takeRanks(packet, members, members.size());
        // Each member is in one part.
        int left = members.size() - newcomers.size();
        int partCount = packet.takeCount(VIEW_ID_BYTES_MIN + 8);
        if (partCount > left) {
            packet.markMalformed();
            partCount = 0;
        }
        List<View.Part> parts = new ArrayList<>(newcomers.size() + partCount);
        TreeMap<Member, Long> nothing = new TreeMap<>();
        for (Member newcomer : newcomers) {
            parts.add(new View.Part(View.aloneId(newcomer), List.of(newcomer), nothing));
        }
        for (int index = 0; index < partCount && !packet.isMalformed(); index++) {
            ViewId previous = takeViewId(packet, known);
            List<Member> together = takeRanks(packet, members, left);
            left -= together.size();
            parts.add(new View.Part(previous, together, takeVector(packet, known)));
        }
        if (members.isEmpty()) {
            packet.markMalformed();
            return View.alone(NOBODY);
        }
        parts.sort(Comparator.comparing(View.Part::previous));
        return new View(id, members, parts);
    }

    private static List<Member> takeRanks(Packet packet, List<Member> members, int countMax) {
        int count = packet.takeCount(4);
        if (count > countMax) {
            packet.markMalformed();
            return List.of();
        }
        List<Member> taken = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            int rank = packet.takeInt();
            if (rank < 0 || members.size() <= rank) {
                packet.markMalformed();
            } else {
                taken.add(members.get(rank));
            }
        }
        return taken;
    }

    /** Appends the primary part of a view, for a receiver that knows its members. */
    public static void append(Packet packet, View.Primary primary) {
        packet.appendLong(primary.epoch());
        append(packet, primary.previous());
        appendLongs(packet, primary.voters());
        appendLongs(packet, primary.electors());
    }

    public static void appendLongs(Packet packet, List<Long> numbers) {
        packet.appendInt(numbers.size());
        numbers.forEach(packet::appendLong);
    }

    /** Takes a list of numbers, at most as many as a view may have members. */
    public static List<Long> takeLongs(Packet packet) {
        int count = takeMemberCount(packet, 8);
        List<Long> numbers = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            numbers.add(packet.takeLong());
        }
        return numbers;
    }

    /** Returns the view with its primary part; unchanged, and the packet malformed, if that does not fit. */
    public static View takePrimary(Packet packet, View view, Members known) {
        long epoch = packet.takeLong();
        ViewId previous = takeViewId(packet, known);
        List<Long> voters = takeLongs(packet);
        List<Long> electors = takeLongs(packet);
        if (voters.size() != view.size() || epoch < 1) {
            packet.markMalformed();
            return view;
        }
        return new View(view.id(), view.members(), view.parts(), new View.Primary(epoch, previous, voters, electors));
    }

    /** Returns the bytes that {@link #append(Packet, View.Primary)} takes at most. */
    public static long bytesMax(View.Primary primary) {
        return 64 + bytesMax(primary.previous().proposer()) + 8L * (primary.voters().size() + primary.electors().size());
    }

    /** Prepends the view that a data packet was sent in: number, attempt, the proposer's incarnation and join. */
    public static void prependTag(Packet packet, ViewId id) {
        packet.prependInt(id.proposer().join());
        packet.prependLong(id.proposer().node().incarnation());
        packet.prependInt(id.attempt());
        packet.prependLong(id.number());
    }

    /** Takes a tag, and returns whether it is that of {@code id}. */
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

    /** Highest number of members in one list or vector, and of unknown members that one packet names. */
    public static final int MEMBERS_MAX = 1 << 14;

    /** Bytes of the longest name or address. */
    static final int TEXT_BYTES_MAX = 4 * NodeId.TEXT_MAX;

    private static final int VIEW_ID_BYTES_MIN = 8 + 4 + MEMBER_BYTES_MIN;
    private static final Member NOBODY = new Member(new NodeId(0, "nobody", ""), 0);
}
