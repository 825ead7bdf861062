package dev.tutti.fuzz;

import dev.tutti.config.YamlFile;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Json;
import dev.tutti.netty.internal.StreamBytes;
import dev.tutti.protocols.discovery.Seeds;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.tomcat.JavaSerialization;
import dev.tutti.tomcat.replication.ReplicationBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/** Everything that reads bytes which others have made. Whoever adds a decoder adds a line here. */
final class Targets {

    private Targets() {}

    /** A member is several objects, and takes at least 20 bytes. */
    private static final int MEMBERS_FACTOR = 16;

    /** A frame of a single byte is a packet, and a copy of it here. */
    private static final int STREAM_FACTOR = 32;

    /** A class that is not there is looked for in all of the class path. */
    private static final long ATTRIBUTE_ALLOWANCE = 512 * 1024;

    /** Java serialization makes arrays of up to four elements per byte. */
    private static final int ATTRIBUTE_FACTOR = 64;

    /** Texts make objects: lists, maps, nodes of a tree. What they may cost is bounded all the same. */
    private static final int TEXT_FACTOR = 400;

    /** A few characters stand for up to a thousand ports, and all together for ten thousand addresses. */
    private static final long PORTS_ALLOWANCE = 4 << 20;

    static final List<Target> ALL = List.of(
            Target.of("session", new SessionTarget(), SessionTarget::seeds, Set.of(
                    "frame 3", "frame 4", "frame 5", "frame 16", "frame 17", "frame 18", "frame 19", "frame 20", "frame 21",
                    "group control 1", "group control 2", "group control 3", "group control 4", "group control 5",
                    "group control 6", "group control 7", "group control 8",
                    "group data 0", "group data 1", "group data 2", "group data 3", "group data 4", "group data 5",
                    "links.unknown-frames", "groups.malformed", "groups.dropped-not-joined",
                    "groups.lab.dropped.malformed", "groups.lab.dropped.old_view", "groups.lab.dropped.duplicate",
                    "groups.lab.dropped.gap", "groups.lab.dropped.old_ballot", "groups.lab.dropped.late_repair",
                    "groups.stack-mismatches"))
                    .withFactor(MEMBERS_FACTOR),
            Target.of("accepted", new HandshakeTarget(false), HandshakeTarget::accepted, Set.of(
                    "links.refused-here.malformed", "links.refused-here.version", "links.refused-here.cluster",
                    "links.refused-here.self", "links.refused-here.incarnation", "links.unknown-frames")),
            Target.of("answered", new HandshakeTarget(true), HandshakeTarget::answered, Set.of(
                    "links.refused-there.malformed", "links.refused-there.cluster", "links.refused-there.self",
                    "links.refused-there.incarnation", "links.stray-frames")),
            Target.of("stream", input -> stream(true, input), () -> streams(true), "open", "garbage", "corrupt")
                    .withFactor(STREAM_FACTOR),
            Target.of("stream-plain", input -> stream(false, input), () -> streams(false), "open", "garbage")
                    .withFactor(STREAM_FACTOR),
            wire("view", packet -> Wire.takeView(packet, new Members())),
            wire("members", packet -> Wire.takeMembers(packet, new Members())),
            wire("vector", packet -> Wire.takeVector(packet, new Members())),
            Target.of("payload", Targets::payload, Targets::payloads, "refused", "messages", "piece", "message of pieces"),
            Target.of("sessions", ReplicationBytes::decode, ReplicationBytes::valid, "refused", "Image", "Delta", "Access",
                    "Remove", "Ack", "Query", "Answer", "ImageRequest", "StateRequest", "StateChunk"),
            Target.of("attribute", Targets::attribute, Targets::attributes, "refused", "taken")
                    .withFactor(ATTRIBUTE_FACTOR)
                    .withAllowance(ATTRIBUTE_ALLOWANCE),
            text("address", StreamBytes::address, "refused", "n1:7800", "[::1]:7800", "example.org", "10.0.0.1:1"),
            text("json", Targets::json, "refused", "{\"a\":[1,2.5,-3e9,true,false,null,\"x\\u0041\\n\"],\"b\":{}}", "[[[]]]"),
            text("yaml", Targets::yaml, "refused", Targets.yamlExample(), "node:\n  name: a\n"),
            text("setting", Targets::setting, "refused", Targets.settingExamples()),
            text("seeds", Targets::seeds, "refused", "n1:7800", "n1:7800-7805", "[::1]:7800").withAllowance(PORTS_ALLOWANCE));

    // ------------------------------------------------------------------ bytes

    private static Target wire(String name, Consumer<Packet> decoder) {
        return Target.of(
                        name,
                        input -> {
                            Packet packet = Tap.packet(input);
                            decoder.accept(packet);
                            return packet.isMalformed() ? "refused" : "taken";
                        },
                        WireSeeds.of(name),
                        "refused",
                        "taken")
                .withFactor(MEMBERS_FACTOR);
    }

    private static String stream(boolean isSummed, byte[] input) {
        long before = StreamBytes.outstanding();
        String end = StreamBytes.read(isSummed, input, input.length / 2).end();
        if (StreamBytes.outstanding() > before) {
            throw new IllegalStateException("blocks were kept");
        }
        return end;
    }

    private static List<byte[]> streams(boolean isSummed) {
        List<byte[]> frames = new ArrayList<>();
        for (Recording.Heard heard : Recording.ofSession().heard().subList(0, 40)) {
            frames.add(heard.frame());
        }
        return List.of(
                StreamBytes.stream(isSummed, frames.subList(0, 3)),
                StreamBytes.stream(isSummed, frames),
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Two payloads of one sender, the second from the middle on. */
    private static String payload(byte[] input) {
        Reassembly reassembly = new Reassembly();
        String[] outcome = {"messages"};
        Records.Visitor visitor = new Records.Visitor() {
            @Override
            public void onMessage(ByteBuffer bytes, int offset, int length) {
                if (offset < 0 || length < 0 || bytes.capacity() - offset < length) {
                    throw new IllegalStateException("message outside of its packet: " + offset + "+" + length);
                }
            }

            @Override
            public void onPiece(ByteBuffer bytes, int offset, int length, long total, long at) {
                byte[] message = reassembly.add(bytes, offset, length, total, at);
                outcome[0] = message == null ? "piece" : "message of pieces";
                if (message != null && message.length != total) {
                    throw new IllegalStateException("message of " + message.length + " bytes, not " + total);
                }
            }
        };
        int middle = input.length / 2;
        boolean isTaken = Records.read(Tap.packet(Arrays.copyOf(input, middle)), visitor);
        isTaken &= Records.read(Tap.packet(Arrays.copyOfRange(input, middle, input.length)), visitor);
        return isTaken ? outcome[0] : "refused";
    }

    private static List<byte[]> payloads() {
        byte[] whole = ByteBuffer.allocate(12).put((byte) 0).putInt(3).put(new byte[3]).putInt(0).array();
        byte[] first = ByteBuffer.allocate(27).put((byte) 1).putLong(20).putLong(0).put(new byte[10]).array();
        byte[] second = ByteBuffer.allocate(27).put((byte) 1).putLong(20).putLong(10).put(new byte[10]).array();
        byte[] third = ByteBuffer.allocate(27).put((byte) 1).putLong(30).putLong(10).put(new byte[10]).array();
        return List.of(join(whole, whole), join(first, second), join(first, third));
    }

    private static byte[] join(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
    }

    private static final JavaSerialization SERIALIZATION = new JavaSerialization("");

    private static String attribute(byte[] input) {
        try {
            SERIALIZATION.decode(input, Targets.class.getClassLoader());
            return "taken";
        } catch (IOException | ClassNotFoundException e) {
            return "refused";
        }
    }

    private static List<byte[]> attributes() {
        try {
            return List.of(
                    SERIALIZATION.encode("text"),
                    SERIALIZATION.encode(new ArrayList<>(List.of(1, 2L, 3.5, "four"))),
                    SERIALIZATION.encode(new HashMap<>(Map.of("a", new int[] {1, 2}, "b", new TreeMap<>(Map.of(1, 2))))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ------------------------------------------------------------------ texts

    private static Target text(String name, Function<String, String> decoder, String refused, String... examples) {
        Set<String> outcomes = new TreeSet<>(Set.of(refused));
        for (String example : examples) {
            outcomes.add(decoder.apply(example));
        }
        return Target.of(
                        name,
                        input -> decoder.apply(new String(input, StandardCharsets.UTF_8)),
                        () -> Arrays.stream(examples).map(each -> each.getBytes(StandardCharsets.UTF_8)).toList(),
                        outcomes.toArray(String[]::new))
                .withFactor(TEXT_FACTOR);
    }

    private static String json(String text) {
        Object value;
        try {
            value = Json.parse(text);
        } catch (IllegalArgumentException e) {
            return refusal(e);
        }
        String written = Json.write(value);
        if (!Json.write(Json.parse(written)).equals(written)) {
            throw new IllegalStateException("written and read again it is another: " + written);
        }
        return "taken";
    }

    private static NodeSpec spec() {
        List<Setting<?>> node = new ArrayList<>(NodeSettings.ALL);
        node.addAll(TransportSettings.ALL);
        return NodeSpec.of(node, GroupSettings.ALL);
    }

    private static String yaml(String text) {
        NodeSpec read;
        try {
            read = YamlFile.parse("fuzz.yaml", text, spec());
        } catch (SettingException e) {
            return refusal(e);
        }
        String printed = YamlFile.print(read);
        if (!YamlFile.print(YamlFile.parse("again.yaml", printed, spec())).equals(printed)) {
            throw new IllegalStateException("printed and read again it is another: " + printed);
        }
        return "taken";
    }

    static String yamlExample() {
        return YamlFile.print(spec().withNode(spec().node()
                .with(NodeSettings.NAME, "n1")
                .with(NodeSettings.SEEDS, List.of("n1:7800", "n2:7800"))
                .with(TransportSettings.BIND_PORT, 7_900)));
    }

    /** A line {@code name: value}, as the command line, properties and variables have it. */
    private static String setting(String text) {
        int colon = text.indexOf(": ");
        String name = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(colon + 2);
        NodeSpec spec = spec();
        Settings settings = spec.groupDefaults().has(name) ? spec.groupDefaults() : spec.node();
        try {
            Settings changed = settings.with(name, value, Settings.Source.FILE, "fuzz");
            for (Setting<?> each : changed.definitions()) {
                changed.get(each);
            }
        } catch (SettingException e) {
            return refusal(e);
        }
        return "taken";
    }

    static String[] settingExamples() {
        List<String> examples = new ArrayList<>();
        NodeSpec spec = spec();
        for (Settings settings : List.of(spec.node(), spec.groupDefaults())) {
            for (Setting<?> setting : settings.definitions()) {
                examples.add(setting.name() + ": " + settings.text(setting));
            }
        }
        return examples.toArray(String[]::new);
    }

    private static String seeds(String text) {
        try {
            Seeds.addresses(List.of(text.split(",", -1)));
            return "taken";
        } catch (SettingException e) {
            return refusal(e);
        }
    }

    private static String refusal(IllegalArgumentException e) {
        if (e.getMessage() == null || e.getMessage().isBlank()) {
            throw new IllegalStateException("a refusal that says nothing", e);
        }
        return "refused";
    }
}
