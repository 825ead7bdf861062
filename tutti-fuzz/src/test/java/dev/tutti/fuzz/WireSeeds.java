package dev.tutti.fuzz;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Valid examples of contents of packets. */
final class WireSeeds {

    private WireSeeds() {}

    static Supplier<List<byte[]>> of(String name) {
        return () -> {
            Packet packet = Packet.create(Memory.onHeap(), 4_096);
            List<Member> members = List.of(member(1), member(2), member(3));
            TreeMap<Member, Long> vector = new TreeMap<>(Map.of(members.get(0), 5L, members.get(1), 6L));
            ViewId id = new ViewId(7, 1, members.get(0));
            if (name.equals("large-view")) {
                return List.of(newcomers(Wire.MEMBERS_MAX), newcomers(Wire.MEMBERS_MAX + 1));
            }
            switch (name) {
                case "members" -> Wire.append(packet, members);
                case "vector" -> Wire.append(packet, vector);
                case "view" -> Wire.append(packet, new View(id, members, List.of(
                        new View.Part(new ViewId(6, 2, members.get(1)), members.subList(0, 2), vector),
                        new View.Part(new ViewId(1, 1, members.get(2)), members.subList(2, 3), new TreeMap<>()))));
                default -> throw new IllegalArgumentException(name);
            }
            return List.of(bytes(packet), crowd(name));
        };
    }

    /** Returns as many members as fit into a frame, as short as possible. */
    static byte[] crowd(String name) {
        Packet packet = Packet.create(Memory.onHeap(), Packet.PAYLOAD_MAX);
        if (name.equals("view")) {
            Wire.append(packet, new ViewId(7, 1, member(1)));
        }
        int bytesEach = Wire.MEMBER_BYTES_MIN + (name.equals("vector") ? 8 : 0);
        int count = (packet.room() - 12) / bytesEach;
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            Wire.append(packet, new Member(new NodeId(index, "", ""), index));
            if (name.equals("vector")) {
                packet.appendLong(index);
            }
        }
        if (name.equals("view")) {
            packet.appendInt(0);
        }
        return bytes(packet);
    }

    /** Returns a view of {@code count} members that were alone before, which a message in pieces may contain. */
    private static byte[] newcomers(int count) {
        Packet packet = Packet.create(Memory.onHeap(), 64 * count);
        Wire.append(packet, new ViewId(7, 1, new Member(new NodeId(0, "a", "a"), 0)));
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            Wire.append(packet, new Member(new NodeId(index, "a", "a"), index));
        }
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            packet.appendInt(index);
        }
        return bytes(packet.appendInt(0));
    }

    static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    private static Member member(int number) {
        return new Member(new NodeId(100 + number, "node-" + number, "10.0.0." + number + ":7800"), number);
    }
}
