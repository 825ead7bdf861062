package dev.tutti.fuzz;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.protocols.membership.MembershipBytes;
import dev.tutti.tomcat.SessionCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Frames that name as many things as fit into them, as short as possible: the most expensive input there is. */
final class Crowds {

    private static final int HEARTBEAT = 4;
    private static final int GOODBYE = 16;
    private static final int GROUP_JOINED = 17;
    private static final int PEERS = 20;
    private static final int ADVERT = 1;
    private static final int ACK = 3;
    private static final int CUT = 5;
    private static final int PIECE = 8;
    private static final int FETCH = 4;
    private static final int NACK = 6;
    private static final int PEER_TEXT_BYTES = 700;

    private Crowds() {}

    /**
     * @param head head of a group's frame: type, and the sender's join
     * @param view installed view
     */
    static List<byte[]> frames(byte[] head, ViewId view) {
        Member proposer = view.proposer();
        return List.of(
                frame(packet -> nodes(packet.appendByte(HEARTBEAT).appendLong(0), 16)),
                frame(packet -> nodes(packet.appendByte(HEARTBEAT).appendLong(0).appendInt(0), 16)),
                frame(packet -> nodes(packet.appendByte(HEARTBEAT).appendLong(0).appendInt(0).appendInt(0), 16)),
                frame(packet -> texts(packet.appendByte(PEERS).appendLong(0), "")),
                frame(packet -> texts(packet.appendByte(PEERS).appendLong(0), "\u65e5".repeat(PEER_TEXT_BYTES / 3))),
                frame(packet -> text(packet.appendByte(GOODBYE), Packet.TEXT_MAX)),
                frame(packet -> text(text(packet.appendByte(GROUP_JOINED).appendInt(9), 700).appendByte(2), Packet.TEXT_MAX)),
                frame(packet -> {
                    advert(packet, head, view, 1);
                    members(packet, 0, "");
                    packet.appendInt(0);
                }),
                frame(packet -> {
                    advert(packet, head, view, 2);
                    members(packet.appendInt(0).appendInt(0), 0, "a");
                }),
                frame(packet -> {
                    advert(packet, head, new ViewId(view.number() + 5, 1, proposer), 3);
                    members(packet, 0, "a");
                }),
                frame(packet -> {
                    Wire.append(control(packet, head, ACK), view);
                    packet.appendBoolean(false);
                    Wire.append(packet, view);
                    members(packet, 8, "");
                }),
                frame(packet -> {
                    Wire.append(control(packet, head, CUT), view);
                    Wire.append(packet, view);
                    int count = members(packet, 4 + 8, "");
                    packet.appendInt(count);
                    for (int rank = 0; rank < count; rank++) {
                        packet.appendInt(rank);
                    }
                    packet.appendInt(0);
                    for (int rank = 0; rank < count; rank++) {
                        packet.appendLong(rank + 1_000L);
                    }
                    packet.appendInt(0);
                }),
                frame(packet -> {
                    control(packet, head, PIECE).appendBoolean(true).appendByte(ADVERT);
                    advertFields(packet, view, 1);
                    members(packet, 0, "a");
                    packet.appendInt(0);
                }),
                frame(packet -> {
                    Wire.append(control(packet, head, 0).appendByte(FETCH), view);
                    packet.appendInt((packet.room() - 64) / 64);
                    while (packet.room() > 128) {
                        Wire.append(packet, proposer);
                        packet.appendLong(0).appendLong(Long.MAX_VALUE);
                    }
                }),
                frame(packet -> {
                    control(packet, head, 0).appendByte(NACK).append(new byte[Wire.TAG_BYTES], 0, Wire.TAG_BYTES);
                    packet.appendInt(256);
                    while (packet.room() >= 16) {
                        packet.appendLong(0).appendLong(Long.MAX_VALUE);
                    }
                }));
    }

    /** Returns messages of primary-partition groups with as many voters, electors and members as fit. */
    static List<byte[]> ofPrimary(byte[] head, View view, ViewId ballot) {
        return List.of(
                frame(packet -> MembershipBytes.crowdOfVoters(packet.append(head, 0, head.length), ballot)),
                frame(packet -> MembershipBytes.crowdOfElectors(packet.append(head, 0, head.length), view, ballot)),
                frame(packet -> MembershipBytes.crowdOfWaiting(packet.append(head, 0, head.length), ballot)));
    }

    /** Returns texts of many short things, and of long ones. */
    static List<String> texts(String target) {
        return switch (target) {
            case "json" -> List.of(
                    "[" + "0,".repeat(CROWD) + "0]",
                    "[" + "1234567,".repeat(CROWD) + "1e9]",
                    "[" + "[],".repeat(CROWD) + "[]]",
                    "[" + "{},".repeat(CROWD) + "{}]",
                    "[" + "[0],".repeat(CROWD) + "{}]",
                    "[" + "\"\",".repeat(CROWD) + "{}]",
                    "[" + "{\"\":0},".repeat(CROWD) + "{}]",
                    "[".repeat(CROWD),
                    "\"" + "\\u65e5".repeat(CROWD) + "\"",
                    "\"" + "\\u0001".repeat(CROWD) + "\"",
                    "\"" + "x".repeat(4 * CROWD) + "\"",
                    "1".repeat(4 * CROWD),
                    "[" + "1".repeat(4 * CROWD));
            case "yaml" -> List.of(
                    "discovery:\n  seeds: [" + "a,".repeat(CROWD) + "a]\n",
                    "discovery:\n  seeds:\n" + "  - a\n".repeat(CROWD),
                    "groups:\n" + "  a: {}\n".repeat(CROWD),
                    "[".repeat(CROWD),
                    "- ".repeat(CROWD),
                    "? ".repeat(CROWD),
                    "#\n".repeat(CROWD) + "node: {}\n",
                    "cluster: \"" + "\\u65e5".repeat(CROWD) + "\"\n",
                    "cluster: " + "x".repeat(4 * CROWD));
            case "setting" -> List.of(
                    "discovery.seeds: " + "a,".repeat(CROWD),
                    "cluster: " + "x".repeat(4 * CROWD),
                    "x".repeat(4 * CROWD));
            case "seeds" -> List.of("a:1,".repeat(CROWD) + "a:2", "a:1-1000,".repeat(8) + "b:1-1000", "a:1-1000,".repeat(CROWD));
            case "address" -> List.of("a".repeat(4 * CROWD), "[" + ":".repeat(4 * CROWD) + "]:1");
            default -> List.of();
        };
    }

    static Object collections() {
        List<Object> lists = new ArrayList<>();
        for (int index = 0; index < 2_000; index++) {
            lists.add(index % 2 == 0 ? new ArrayList<>() : new ArrayList<>(List.of(index)));
        }
        return lists;
    }

    static Object maps() {
        List<Object> maps = new ArrayList<>();
        for (int index = 0; index < 1_000; index++) {
            maps.add(new HashMap<>(Map.of(index, "")));
        }
        return maps;
    }

    /** Returns nested arrays, each of which claims to be long. */
    static byte[] nestedArrays(SessionCodec codec) throws IOException {
        Object nested = new Object[1];
        for (int depth = 0; depth < 150; depth++) {
            nested = new Object[] {nested};
        }
        byte[] bytes = codec.encode(nested);
        ByteBuffer longer = ByteBuffer.wrap(bytes);
        for (int at = 0; at + 9 < bytes.length; at++) {
            // An array of a class that was named before, of one element.
            if (bytes[at] == 0x75 && bytes[at + 1] == 0x71 && longer.getInt(at + 6) == 1) {
                longer.putInt(at + 6, 4 * bytes.length);
            }
        }
        return bytes;
    }

    /** Returns nested sets, each twice in the next: hashing the outermost takes 2 to the power of their number. */
    static byte[] sharedSets() throws IOException {
        Set<Object> first = new HashSet<>();
        Set<Object> second = new HashSet<>();
        List<Set<Object>> levels = new ArrayList<>(List.of(first, second));
        for (int depth = 1; depth < 60; depth++) {
            levels.add(new HashSet<>());
            levels.add(new HashSet<>());
        }
        // From the outermost inwards, so that they are not hashed here.
        for (int depth = 58; depth >= 0; depth--) {
            Set<Object> one = levels.get(2 * depth + 2);
            Set<Object> two = levels.get(2 * depth + 3);
            one.add("one");
            for (Set<Object> outer : levels.subList(2 * depth, 2 * depth + 2)) {
                outer.add(new Shared(one));
                outer.add(new Shared(two));
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Unwrapping(bytes)) {
            out.writeObject(first);
        }
        return bytes.toByteArray();
    }

    /** Stands for a set without being hashed as one. */
    private record Shared(Set<Object> set) implements Serializable {

        @Override
        public boolean equals(Object other) {
            return other instanceof Shared shared && shared.set == set;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(set);
        }
    }

    private static final class Unwrapping extends ObjectOutputStream {

        Unwrapping(OutputStream out) throws IOException {
            super(out);
            enableReplaceObject(true);
        }

        @Override
        protected Object replaceObject(Object written) {
            return written instanceof Shared shared ? shared.set() : written;
        }
    }

    private static final int CROWD = 8_000;

    private static byte[] frame(Consumer<Packet> writer) {
        Packet packet = Packet.create(Memory.onHeap(), Packet.PAYLOAD_MAX);
        writer.accept(packet);
        return WireSeeds.bytes(packet);
    }

    private static Packet control(Packet packet, byte[] head, int kind) {
        return packet.append(head, 0, head.length).appendByte(kind);
    }

    private static void advert(Packet packet, byte[] head, ViewId view, int detail) {
        advertFields(control(packet, head, ADVERT), view, detail);
    }

    private static void advertFields(Packet packet, ViewId view, int detail) {
        Wire.append(packet, view);
        Wire.append(packet, view);
        Wire.append(packet, view.proposer());
        packet.appendLong(Long.MAX_VALUE).appendByte(detail);
    }

    /** Appends as many unknown members as fit if each takes {@code bytesMore} more bytes; 8 adds a number to each. */
    private static int members(Packet packet, int bytesMore, String text) {
        boolean isVector = bytesMore == 8;
        int count = (packet.room() - 64) / (Wire.MEMBER_BYTES_MIN + 2 * text.length() + bytesMore);
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            Wire.append(packet, new Member(new NodeId(1_000L + index, text, text), index));
            if (isVector) {
                packet.appendLong(1_000L + index);
            }
        }
        return count;
    }

    private static void nodes(Packet packet, int bytesEach) {
        int count = (packet.room() - 4) / bytesEach;
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            Wire.append(packet, new NodeId(index, "", ""));
        }
    }

    private static void texts(Packet packet, String text) {
        int bytesEach = 4 + text.getBytes(StandardCharsets.UTF_8).length;
        int count = (packet.room() - 4) / bytesEach;
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            packet.appendText(text);
        }
    }

    /** Appends a text whose characters have two bytes each as objects. */
    private static Packet text(Packet packet, int bytesMax) {
        char[] characters = new char[bytesMax / 3];
        Arrays.fill(characters, '\u65e5');
        return packet.appendText(new String(characters));
    }
}
