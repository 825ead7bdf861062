package dev.tutti.testkit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Frames as text for people: the name of the message, as in {@code docs/wire.md}, and the fields that tell a story.
 *
 * <p>Reads the bytes by that page, not by the product's decoders. A view id is written {@code 3.1@n2}: number, attempt
 * if it is not 1, proposer.
 */
final class FrameText {

    /** Name of a message, and its fields; empty if there are none to show. */
    record Line(String name, String fields) {
        @Override
        public String toString() {
            return fields.isEmpty() ? name : name + " " + fields;
        }
    }

    private static final Map<Integer, String> FRAMES = Map.ofEntries(
            Map.entry(1, "HELLO"),
            Map.entry(2, "WELCOME"),
            Map.entry(3, "REFUSE"),
            Map.entry(4, "HEARTBEAT"),
            Map.entry(5, "LINK_ACK"),
            Map.entry(16, "GOODBYE"),
            Map.entry(17, "GROUP_JOINED"),
            Map.entry(18, "GROUP_MET"),
            Map.entry(19, "GROUP_LEFT"),
            Map.entry(20, "PEERS"));

    private static final List<String> MEMBERSHIP = List.of(
            "DATA", "ADVERT", "PREPARE", "ACK", "NACK", "CUT", "WHO", "VIEW_STABLE", "PIECE", "PROPOSE", "ACCEPTED",
            "INSTALL", "LEARN", "WAIT", "LEAVING", "RECORDED", "RELEASED", "TAG_STABLE");

    /** ACK and NACK of the reliability layer are told from those of a ballot. */
    private static final List<String> RELIABILITY = List.of(
            "MULTICAST", "UNICAST", "PACKET_ACK", "STABLE", "FETCH", "REPAIR", "PACKET_NACK", "SENT", "RELAYED", "ASK",
            "DELIVERED");

    private static final List<String> STATE =
            List.of("", "STATUS", "HAVE", "PULL", "GRANT", "STOP", "BEGIN", "CHUNK", "END", "REFUSED");

    private static final int GROUP = 32;
    private static final int RELIABILITY_TAG_BYTES = 24;

    /** Bytes that an order puts before the payload of each multicast. */
    private final int orderBytes;

    private final boolean isPrimary;
    private final TreeMap<Long, String> names = new TreeMap<>();
    private List<String> ranks = List.of();

    /**
     * @param stack value of the group's setting
     * @param isPrimary whether the group has a primary partition, whose messages have further fields
     */
    FrameText(String stack, boolean isPrimary) {
        this.orderBytes =
                switch (stack) {
                    case "causal" -> 1;
                    case "total" -> 9;
                    default -> 0;
                };
        this.isPrimary = isPrimary;
    }

    /** Tells the name of a process in its present run: some packets identify their sender by its incarnation alone. */
    void name(long incarnation, String name) {
        names.put(incarnation, name);
    }

    /** Tells the members of the latest view: some packets name members by their ranks alone. */
    void ranks(List<String> members) {
        ranks = members;
    }

    Line read(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        int type = bytes.get();
        if (type != GROUP) {
            return new Line(FRAMES.getOrDefault(type, "frame " + type), "");
        }
        bytes.getInt();
        int kind = bytes.get();
        String name = MEMBERSHIP.get(kind);
        return switch (name) {
            case "DATA" -> data(bytes);
            case "ADVERT" -> new Line(name, advert(bytes));
            case "PREPARE" -> new Line(name, viewId(bytes));
            case "ACK" -> new Line(name, viewId(bytes) + received(bytes));
            case "NACK" -> new Line(name, viewId(bytes) + ", promised " + viewId(bytes));
            case "CUT", "PROPOSE" -> new Line(name, viewId(bytes) + cut(bytes));
            case "VIEW_STABLE", "ACCEPTED", "INSTALL", "LEARN", "RECORDED" -> new Line(name, viewId(bytes));
            // The same, with the view's tag.
            case "TAG_STABLE" -> new Line("VIEW_STABLE", tag(bytes));
            case "WAIT" -> new Line(name, viewId(bytes) + ", " + members(bytes) + ": " + text(bytes));
            default -> new Line(name, "");
        };
    }

    // ------------------------------------------------------------------ membership

    private String advert(ByteBuffer bytes) {
        String view = viewId(bytes);
        String promised = viewId(bytes);
        return "in view " + view + (promised.equals(view) ? "" : ", promised " + promised) + ", follows " + member(bytes);
    }

    private String received(ByteBuffer bytes) {
        if (bytes.get() == 1) {
            viewRecord(bytes);
            if (isPrimary && bytes.get() == 1) {
                place(bytes);
            }
        } else {
            viewId(bytes);
        }
        String received = vector(bytes);
        return received.isEmpty() ? "" : ", has " + received;
    }

    private String cut(ByteBuffer bytes) {
        Record record = viewRecord(bytes);
        StringBuilder text = new StringBuilder(", view of ").append(String.join(" ", record.members));
        if (isPrimary) {
            text.append(", ").append(place(bytes));
        }
        if (!record.cuts.isEmpty()) {
            text.append(", up to ").append(String.join(" and ", record.cuts));
        }
        bytes.position(bytes.position() + 8 * record.members.size());
        int holders = bytes.getInt();
        for (int index = 0; index < holders; index++) {
            text.append(", those of ").append(member(bytes)).append(" are at ").append(member(bytes));
        }
        return text.toString();
    }

    /** A view as the wire has it: its members, and where they come from. */
    private record Record(List<String> members, List<String> cuts) {}

    private Record viewRecord(ByteBuffer bytes) {
        viewId(bytes);
        List<String> members = memberList(bytes);
        numbers(bytes, Integer.BYTES);
        List<String> cuts = new ArrayList<>();
        int parts = bytes.getInt();
        for (int part = 0; part < parts; part++) {
            viewId(bytes);
            numbers(bytes, Integer.BYTES);
            String cut = vector(bytes);
            if (!cut.isEmpty()) {
                cuts.add(cut);
            }
        }
        return new Record(members, cuts);
    }

    private String place(ByteBuffer bytes) {
        String epoch = "epoch " + bytes.getLong();
        viewId(bytes);
        numbers(bytes, Long.BYTES);
        numbers(bytes, Long.BYTES);
        return epoch;
    }

    private static void numbers(ByteBuffer bytes, int each) {
        int count = bytes.getInt();
        bytes.position(bytes.position() + count * each);
    }

    private String vector(ByteBuffer bytes) {
        StringJoiner text = new StringJoiner(" ");
        int count = bytes.getInt();
        for (int index = 0; index < count; index++) {
            text.add(member(bytes) + "#" + bytes.getLong());
        }
        return text.toString();
    }

    private String viewId(ByteBuffer bytes) {
        long number = bytes.getLong();
        int attempt = bytes.getInt();
        return number + (attempt == 1 ? "" : "." + attempt) + "@" + member(bytes);
    }

    private String tag(ByteBuffer bytes) {
        long number = bytes.getLong();
        int attempt = bytes.getInt();
        return number + (attempt == 1 ? "" : "." + attempt) + "@" + names.getOrDefault(bytes.getLong(), "?");
    }

    private String members(ByteBuffer bytes) {
        return String.join(" ", memberList(bytes));
    }

    private List<String> memberList(ByteBuffer bytes) {
        int count = bytes.getInt();
        List<String> members = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            members.add(member(bytes));
        }
        return members;
    }

    private static String member(ByteBuffer bytes) {
        bytes.getLong();
        String name = text(bytes);
        text(bytes);
        bytes.getInt();
        return name;
    }

    private static String text(ByteBuffer bytes) {
        byte[] text = new byte[bytes.getInt()];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    // ------------------------------------------------------------------ data

    private Line data(ByteBuffer bytes) {
        String name = RELIABILITY.get(bytes.get());
        return switch (name) {
            case "MULTICAST" -> multicast(name, bytes, bytes.position() + RELIABILITY_TAG_BYTES, 16);
            case "RELAYED" -> multicast(name, bytes, bytes.position() + RELIABILITY_TAG_BYTES + Integer.BYTES, 20);
            case "UNICAST" -> payload(name, skip(bytes, 16), "");
            case "PACKET_ACK" -> {
                long received = skip(bytes, RELIABILITY_TAG_BYTES).getLong();
                yield new Line(name, "#" + received + ", may send up to byte " + bytes.getLong());
            }
            case "STABLE", "SENT", "ASK" -> new Line(name, "#" + skip(bytes, RELIABILITY_TAG_BYTES).getLong());
            case "FETCH" -> new Line(name, ranges(bytes));
            case "REPAIR" -> repair(name, bytes);
            default -> new Line(name, "");
        };
    }

    private String ranges(ByteBuffer bytes) {
        viewId(bytes);
        StringJoiner text = new StringJoiner(" ");
        int count = bytes.getInt();
        for (int index = 0; index < count; index++) {
            String sender = member(bytes);
            long first = bytes.getLong();
            long last = bytes.getLong();
            text.add(sender + "#" + first + (first == last ? "" : "-" + last));
        }
        return text.toString();
    }

    private Line repair(String name, ByteBuffer bytes) {
        skip(bytes, RELIABILITY_TAG_BYTES);
        String sender = names.getOrDefault(bytes.getLong(), "?");
        bytes.getInt();
        return ordered(name, bytes, sender + "#" + bytes.getLong());
    }

    /**
     * Reads a packet to all members.
     *
     * @param at position of its fields
     * @param numberedBytes length of the fields up to the payload, of which the last 16 are two numbers
     */
    private Line multicast(String name, ByteBuffer bytes, int at, int numberedBytes) {
        String end = "";
        bytes.position(at);
        if (numberedBytes > 16) {
            end = ", ends before " + ranks.get(bytes.getInt());
        }
        String number = "#" + bytes.getLong();
        bytes.getLong();
        Line line = ordered(name, bytes, number);
        return new Line(line.name(), line.fields() + end);
    }

    private Line ordered(String name, ByteBuffer bytes, String number) {
        if (orderBytes > 0) {
            int kind = bytes.get();
            long places = orderBytes > 1 ? bytes.getLong() : 0;
            if (kind == 1) {
                StringJoiner order = new StringJoiner(", ");
                while (bytes.hasRemaining()) {
                    String sender = ranks.get(bytes.getInt());
                    int count = bytes.getInt();
                    order.add("next " + (count == 1 ? "is one packet" : "are " + count + " packets") + " of " + sender);
                }
                return new Line(name, number + ": " + (order.length() > 0 ? order : "has " + places + (places == 1 ? " place" : " places")));
            }
        }
        return payload(name, bytes, number);
    }

    /** Reads the payload of packing. */
    private Line payload(String name, ByteBuffer bytes, String number) {
        if (!bytes.hasRemaining()) {
            return new Line(name, number);
        }
        int kind = bytes.get();
        if (kind == 0) {
            StringJoiner messages = new StringJoiner(" ");
            messages.add(number);
            while (bytes.hasRemaining()) {
                messages.add("\"" + text(bytes).strip() + "\"");
            }
            return new Line(name, messages.toString().strip());
        }
        if (kind == 5) {
            return state(bytes);
        }
        return new Line(name, (number + " kind " + kind).strip());
    }

    private static Line state(ByteBuffer bytes) {
        String name = STATE.get(bytes.get());
        return switch (name) {
            case "PULL" -> new Line(name, "from byte " + offset(bytes));
            case "BEGIN" -> new Line(name, "of " + skip(bytes, 8).getLong() + " bytes");
            case "CHUNK" -> chunk(name, bytes);
            default -> new Line(name, "");
        };
    }

    private static long offset(ByteBuffer bytes) {
        // A cut precedes it.
        return skip(bytes, 8 + 24).getLong();
    }

    private static Line chunk(String name, ByteBuffer bytes) {
        long offset = skip(bytes, 8).getLong();
        return new Line(name, "bytes " + offset + " to " + (offset + skip(bytes, Integer.BYTES).remaining()));
    }

    private static ByteBuffer skip(ByteBuffer bytes, int count) {
        return bytes.position(bytes.position() + count);
    }

}
