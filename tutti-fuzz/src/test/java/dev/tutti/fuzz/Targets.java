package dev.tutti.fuzz;

import dev.tutti.announce.message.AnnounceBytes;
import dev.tutti.blocks.calls.CallBytes;
import dev.tutti.blocks.coordination.CoordinationBytes;
import dev.tutti.blocks.directory.DirectoryBytes;
import dev.tutti.blocks.machine.ReplicaBytes;
import dev.tutti.blocks.map.MapBytes;
import dev.tutti.blocks.map.distributed.DistributedMapBytes;
import dev.tutti.blocks.queue.QueueBytes;
import dev.tutti.config.YamlFile;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.draw.BoardBytes;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.otlp.OtlpBytes;
import dev.tutti.grid.internal.codec.GridBytes;
import dev.tutti.grid.internal.wire.ClientBytes;
import dev.tutti.grid.match.Selector;
import dev.tutti.grid.mediator.PostedText;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.DiagnosticsBytes;
import dev.tutti.jcache.internal.CacheBytes;
import dev.tutti.layers.compression.CompressionBytes;
import dev.tutti.metrics.HealthBytes;
import dev.tutti.netty.internal.relay.RelayBytes;
import dev.tutti.netty.internal.security.TlsBytes;
import dev.tutti.netty.internal.tcp.StreamBytes;
import dev.tutti.protocols.discovery.Seeds;
import dev.tutti.protocols.membership.MembershipBytes;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.rendezvous.internal.http.RendezvousBytes;
import dev.tutti.sites.internal.relay.SiteBytes;
import dev.tutti.stomp.internal.codec.StompBytes;
import dev.tutti.tomcat.JavaSerialization;
import dev.tutti.tomcat.replication.codec.ReplicationBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** All decoders of bytes from others. A new decoder needs a line here. */
final class Targets {

    private Targets() {}

    /** Bound for members: a member is several objects, and a reader of a view keeps some more for each. */
    private static final Bound MEMBERS = Bound.USUAL.withElements(320, Wire.MEMBER_BYTES_MIN, Wire.MEMBERS_MAX);

    /** Bound for frames: a frame of a single byte is a packet, and a copy of it here. */
    private static final Bound FRAMES = Bound.USUAL.withElements(64, 4, Integer.MAX_VALUE);

    /** Bound for calls: list values take more as objects of their codec, and UTF-8 text is made in two steps. */
    private static final Bound CALLS = Bound.USUAL.withPerByte(4).withElements(64, 1, Integer.MAX_VALUE);

    /** Bound for values that a library reads: an object may be two bytes long, and is read with buffers and a list. */
    private static final Bound VALUES = Bound.USUAL.withPerByte(8).withElements(1_024, 2, Integer.MAX_VALUE).withAllowance(256 * 1024);

    /** Bound for commands: at most 1,024 things of five bytes or more, and the objects that they change. */
    private static final Bound COMMAND = Bound.USUAL.withPerByte(4).withElements(192, 5, 2 * 1_024);

    /** Bound for objects: a lock and the members that wait for it. */
    private static final Bound OBJECTS = Bound.USUAL.withPerByte(4);

    /** Bound for states: read in blocks, and all content becomes objects, which are indexed in several orders. */
    private static final Bound STATE = Bound.USUAL.withPerByte(6).withElements(384, 16, Integer.MAX_VALUE);

    /** Bound for the grid: a filter of four bytes is a map, a text, and the levels of its topic, which are looked at twice. */
    private static final Bound GRID = Bound.USUAL.withPerByte(4).withElements(512, 4, Integer.MAX_VALUE);

    /** Bound for OTLP: a data point may be two bytes long, and is an object of protobuf, a body, and an entry of lists; a text is kept in two forms. */
    private static final Bound OTLP = Bound.USUAL.withPerByte(4).withElements(512, 2, Integer.MAX_VALUE);

    /** Bound for STOMP: a frame, or a header, may be four bytes long, and becomes lists with a text each. */
    private static final Bound STOMP = Bound.USUAL.withElements(384, 4, Integer.MAX_VALUE);

    /** Bound for envelopes, of lists and texts: a destination of two letters, a segment, a header without letters. */
    private static final Bound ENVELOPE = Bound.USUAL.withElements(160, 2, Integer.MAX_VALUE);

    /** Bound for boards: a line of four bytes may be refused with an exception; accepted ones are read once more. */
    private static final Bound BOARD = Bound.USUAL.withElements(2_048, 4, Integer.MAX_VALUE);

    /** Bound for attributes: Java makes arrays of references, and hashes a set in itself until the stack ends. */
    private static final Bound ATTRIBUTE = new Bound(128, 0, 1, 0, 4 << 20);

    /** Bound for compressed packets: whatever they say, one expands to a frame at most. */
    private static final Bound COMPRESSED = Bound.USUAL.withAllowance(64 * 1024 + Packet.FRAME_MAX);

    /** Bound for PEM: the JDK makes a tree of objects per certificate; files have at most 1 MiB and are trusted. */
    private static final Bound PEM = new Bound(48, 0, 1, 0, 128 * 1024);

    /** Bound for a control stream: a line may be one byte, and some lines are answered. */
    private static final Bound LINES = Bound.USUAL.withElements(320, 1, Integer.MAX_VALUE);

    /** Bound for announcements: an alias of one byte is checked, sorted and kept. */
    private static final Bound ANNOUNCEMENT = Bound.USUAL.withElements(1_024, 2, Integer.MAX_VALUE);

    /** Bound for selectors of 1,024 characters: a word may be one character, and is read, changed and parsed. */
    private static final Bound SELECTOR = Bound.USUAL.withElements(1_024, 1, Filter.WHERE_MAX);

    private static final DiagnosticsBytes DIAGNOSTICS = new DiagnosticsBytes();

    private static final int YAML_NODES_MAX = 20_000;

    private static final Measurement MEASUREMENT = new Measurement(
            "p", 1, Topic.of("a/b"), Map.of("host", "web1", "a", "x%"), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(49));

    static final List<Target> ALL = List.of(
            Target.of("session", new SessionTarget(false), () -> new SessionTarget(false).seeds(), Set.of(
                    "frame 3", "frame 4", "frame 5", "frame 16", "frame 17", "frame 18", "frame 19", "frame 20", "frame 21",
                    "group control 1", "group control 2", "group control 3", "group control 4", "group control 5",
                    "group control 6", "group control 7", "group control 8",
                    "group data 0", "group data 1", "group data 2", "group data 3", "group data 4", "group data 5",
                    "links.unknown-frames", "groups.malformed", "groups.dropped-not-joined",
                    "groups.lab.dropped.malformed", "groups.lab.dropped.old_view", "groups.lab.dropped.duplicate",
                    "groups.lab.dropped.gap", "groups.lab.dropped.old_ballot", "groups.lab.dropped.late_repair",
                    "groups.stack-mismatches"))
                    .within(MEMBERS),
            Target.of("primary", new SessionTarget(true), () -> new SessionTarget(true).seeds(), Set.of(
                    "group control 2", "group control 3", "group control 5", "group control 9", "group control 10",
                    "group control 11", "group control 12", "group control 13", "group control 14",
                    "groups.lab.dropped.malformed", "groups.lab.dropped.old_ballot", "groups.lab.membership.outside",
                    "groups.stack-mismatches"))
                    .within(MEMBERS),
            Target.of("record", MembershipBytes::record, MembershipBytes::records, "refused", "taken",
                            "taken with what was accepted")
                    .within(MEMBERS),
            Target.of("accepted", new HandshakeTarget(false, false), HandshakeTarget::accepted, Set.of(
                    "links.refused-here.malformed", "links.refused-here.version", "links.refused-here.cluster",
                    "links.refused-here.self", "links.refused-here.incarnation", "links.unknown-frames")),
            Target.of("answered", new HandshakeTarget(true, false), HandshakeTarget::answered, Set.of(
                    "links.refused-there.malformed", "links.refused-there.cluster", "links.refused-there.self",
                    "links.refused-there.incarnation", "links.stray-frames")),
            Target.of("accepted-with-rules", new HandshakeTarget(false, true), () -> new HandshakeTarget(false, true).seeds(), Set.of(
                    "links.refused-here.admission", "links.refused-here.malformed", "links.refused-here.version",
                    "links.refused-here.cluster", "links.refused-here.self")),
            Target.of("answered-with-rules", new HandshakeTarget(true, true), () -> new HandshakeTarget(true, true).seeds(), Set.of(
                    "links.refused-here.malformed", "links.refused-there.malformed", "links.refused-there.cluster",
                    "links.refused-there.admission")),
            Target.of("datagrams", new DatagramTarget(), DatagramTarget::seeds, Set.of(
                    "datagrams.damaged", "datagrams.malformed", "datagrams.unknown-connection", "datagrams.wrong-endpoint",
                    "datagrams.bad-cookies", "datagrams.cookies-sent", "datagrams.resets-sent", "datagrams.resets-received",
                    "datagrams.received-multicasts", "datagrams.*.malformed", "datagrams.*.duplicates",
                    "datagrams.*.beyond-window", "datagrams.forged", "multicast.forged", "multicast.replayed")),
            Target.of("stream", input -> stream(true, input), () -> streams(true), "open", "garbage", "corrupt")
                    .within(FRAMES),
            Target.of("stream-plain", input -> stream(false, input), () -> streams(false), "open", "garbage")
                    .within(FRAMES),
            Target.of("preface", TlsBytes::preface, TlsBytes::prefaces, "refused", "taken", "waiting"),
            Target.of("client-hello", TlsBytes::clientHello, TlsBytes::clientHellos, "pass", "waiting", "none",
                    "other protocol"),
            Target.of("certificates", TlsBytes::certificates, TlsBytes::otherCertificates, "refused", "taken")
                    .within(PEM),
            Target.of("revocations", TlsBytes::revocations, TlsBytes::otherRevocations, "refused", "taken")
                    .within(PEM),
            Target.of("key", TlsBytes::key, TlsBytes::otherKeys, "refused", "taken")
                    .within(PEM),
            wire("view", packet -> Wire.takeView(packet, new Members())),
            wire("large-view", packet -> Wire.takeView(packet, new Members())),
            wire("members", packet -> Wire.takeMembers(packet, new Members())),
            wire("vector", packet -> Wire.takeVector(packet, new Members())),
            Target.of("payload", Targets::payload, Targets::payloads, "refused", "messages", "piece", "message of pieces"),
            Target.of("compression", CompressionBytes::receive, CompressionBytes::packets, "refused", "plain", "expanded")
                    .within(COMPRESSED),
            Target.of("sessions", ReplicationBytes::decode, ReplicationBytes::valid, "refused", "Image", "Delta", "Access",
                            "Remove", "Ack", "Query", "Answer", "ImageRequest", "StateRequest", "StateChunk", "Probe",
                            "ProbeAnswer")
                    .within(Bound.USUAL.withElements(64, 10, ReplicationBytes.ELEMENTS_MAX)),
            Target.of("calls", CallBytes::decode, CallBytes::valid, "refused", "request", "refused request", "answer",
                            "refused answer", "failure", "refusal", "cancel")
                    .within(CALLS),
            Target.of("json-value", input -> Values.take(Values.JSON, input), Values::json, "refused", "taken")
                    .within(VALUES),
            Target.of("protobuf-value", input -> Values.take(Values.PROTOBUF, input), Values::protobuf, "refused", "taken")
                    .within(VALUES),
            Target.of("replica", ReplicaBytes::message, ReplicaBytes::messages, "malformed", "failures", "commands", "read")
                    .within(CALLS),
            Target.of("replica-state", ReplicaBytes::state, ReplicaBytes::states, "refused", "with it", "without it")
                    .within(STATE),
            Target.of("coordination", CoordinationBytes::command, CoordinationBytes::commands, "refused", "failed", "Acquire",
                            "Release", "Add", "Exchange", "Take")
                    .within(OBJECTS),
            Target.of("coordination-state", CoordinationBytes::state, CoordinationBytes::states, "refused", "taken")
                    .within(STATE),
            Target.of("map", MapBytes::command, MapBytes::commands, "refused", "Write", "Expire", "Again")
                    .within(COMMAND),
            Target.of("map-messages", MapBytes::message, MapBytes::messages, "refused", "Write", "Drop", "Again", "Ask", "Tell")
                    .within(COMMAND),
            Target.of("map-state", MapBytes::state, MapBytes::states, "refused", "taken")
                    .within(STATE),
            Target.of("distributed-map", DistributedMapBytes::request, DistributedMapBytes::requests, "refused", "taken")
                    .within(COMMAND),
            Target.of("distributed-map-answers", DistributedMapBytes::answer, DistributedMapBytes::answers, "refused", "taken")
                    .within(COMMAND),
            Target.of("distributed-map-reports", DistributedMapBytes::report, DistributedMapBytes::reports, "refused", "taken")
                    .within(STATE),
            Target.of("directory", DirectoryBytes::command, DirectoryBytes::commands, "refused", "Bind", "Unbind", "Create",
                            "Destroy", "Rename", "Again")
                    .within(COMMAND),
            Target.of("directory-state", DirectoryBytes::state, DirectoryBytes::states, "refused", "taken")
                    .within(STATE),
            Target.of("queue", QueueBytes::command, QueueBytes::commands, "refused", "Offer", "Take", "Cancel", "Acknowledge",
                            "Release", "Extend", "Overdue", "Again")
                    .within(COMMAND),
            Target.of("queue-state", QueueBytes::state, QueueBytes::states, "refused", "taken")
                    .within(STATE),
            Target.of("cache", CacheBytes::command, CacheBytes::commands, "refused", "Commit", "Clear")
                    .within(ATTRIBUTE),
            Target.of("cache-state", CacheBytes::state, CacheBytes::states, "refused", "taken")
                    .within(ATTRIBUTE),
            Target.of("site-frames", SiteBytes::frame, SiteBytes::frames, "refused", "Here", "Everywhere", "Relayed", "Acknowledged",
                            "Added", "Forgotten", "Recovered")
                    .within(CALLS),
            Target.of("bridge-frames", SiteBytes::bridge, SiteBytes::bridges, "refused", "Open", "Resume", "Refuse", "Batch",
                            "Acknowledge", "Announce", "Away")
                    .within(CALLS),
            Target.of("grid", Targets::grid, GridBytes::seeds, Set.of("refused", "Measurement", "Text", "Bytes", "Number", "Values",
                            "Histogram", "Filter", "Entry", "Gap", "Query", "Answer"))
                    .within(GRID),
            Target.of("grid-clients", Targets::gridClients, ClientBytes::seeds, Set.of("refused", "Identify", "Register", "Withdraw", "Publish",
                            "Load", "Find", "Ask", "Welcome", "Registered", "Refused", "Deliver", "Missing", "Entries", "Measurements"))
                    .within(GRID),
            text("grid-posted", Targets::gridPosted, PostedText.examples())
                    .within(new Bound(8, 512, 2, Json.VALUES_MAX, 64 * 1024)),
            Target.of("otlp", Targets::otlp, OtlpBytes::requests, Set.of("refused", "taken", "point refused", "Number", "Values", "Histogram"))
                    .within(OTLP),
            Target.of("stomp", StompBytes::stream, StompBytes::streams, "frames", "waiting", "refused MALFORMED",
                            "refused HEAD_TOO_LARGE", "refused BODY_TOO_LARGE")
                    .within(STOMP),
            Target.of("stomp-envelopes", StompBytes::envelope, StompBytes::envelopes, "refused", "Publish", "Confirm",
                            "Endpoints")
                    .within(ENVELOPE),
            Target.of("control-stream", RelayBytes::control, RelayBytes::controls, "left", "connects", "answers", "nothing")
                    .within(LINES),
            Target.of("announcement", AnnounceBytes::message, AnnounceBytes::messages, "refused", "Announced", "Balancing", "Settled", "Refused",
                            "Ordered")
                    .within(ANNOUNCEMENT),
            text("rendezvous-request", (text, onRead) -> RendezvousBytes.target(text), "/", "/metrics", "/health/live",
                    "/v1/clusters/shop/nodes?limit=20&after=7", "/v1/clusters/a%20b/listen/%5B::1%5D:7800?relay=no",
                    "/v1/clusters/shop/connect/10.0.0.1:7800", "/v1/clusters/shop/accept/0123456789abcdef0123456789abcdef"),
            Target.of("board", BoardBytes::lines, BoardBytes::seeds, "nothing", "some", "all")
                    .within(BOARD),
            Target.of("attribute", Targets::attribute, Targets::attributes, "refused", "taken")
                    .within(ATTRIBUTE),
            Target.of("health", HealthBytes::request, HealthBytes::requests, "refused", "known", "foreign"),
            Target.of("diagnostics", DIAGNOSTICS::ask, DiagnosticsBytes::questions, "closed", "error", "status"),
            text("address", (text, onRead) -> StreamBytes.address(text), "n1:7800", "[::1]:7800", "example.org", "10.0.0.1:1"),
            text("selector", Targets::selector, "value > 48 AND host = 'web1'", "NOT (a LIKE 'x!%' ESCAPE '!' OR b IS NULL)",
                    "\"a.b\" IN ('1', '2') AND value BETWEEN -1 AND 2.5e3 * 0x1f")
                    .within(SELECTOR),
            text("json", Targets::json, "{\"a\":[1,2.5,-3e9,true,false,null,\"x\\u0041\\n\"],\"b\":{}}", "[[[]]]")
                    .within(new Bound(3, 128, 2, Json.VALUES_MAX, 64 * 1024)),
            text("yaml", Targets::yaml, Targets.yamlExample(), "node:\n  name: a\n")
                    .within(new Bound(8, 1_536, 2, YAML_NODES_MAX, 192 * 1024)),
            text("setting", (text, onRead) -> setting(text), Targets.settingExamples())
                    .within(Bound.USUAL.withElements(192, 2, Setting.LIST_MAX)),
            text("seeds", (text, onRead) -> seeds(text), "n1:7800", "n1:7800-7805", "[::1]:7800")
                    .within(Bound.USUAL.withAllowance(64 * 1024 + 256L * Seeds.ADDRESSES_MAX)));

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
                .within(MEMBERS);
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
                StreamBytes.stream(isSummed, Collections.nCopies(4_000, new byte[1])),
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads two payloads of one sender, the second from the middle on. */
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
            public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                ByteBuffer message = reassembly.add(bytes, offset, length, piece);
                outcome[0] = message == null ? "piece" : "message of pieces";
                if (message != null && message.remaining() != piece.total()) {
                    throw new IllegalStateException("message of " + message.remaining() + " bytes, not " + piece.total());
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
        byte[] forOthers = whole.clone();
        forOthers[0] = 16;
        byte[] first = ByteBuffer.allocate(27).put((byte) 1).putLong(20).putLong(0).put(new byte[10]).array();
        byte[] second = ByteBuffer.allocate(27).put((byte) 1).putLong(20).putLong(10).put(new byte[10]).array();
        byte[] third = ByteBuffer.allocate(27).put((byte) 1).putLong(30).putLong(10).put(new byte[10]).array();
        byte[] endless = ByteBuffer.allocate(27).put((byte) 1).putLong(1 << 30).putLong(0).put(new byte[10]).array();
        return List.of(join(whole, whole), join(forOthers, whole), join(first, second), join(first, third), join(endless, endless));
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
                    SERIALIZATION.encode(new HashMap<>(Map.of("a", new int[] {1, 2}, "b", new TreeMap<>(Map.of(1, 2))))),
                    SERIALIZATION.encode(Crowds.collections()),
                    SERIALIZATION.encode(Crowds.maps()),
                    Crowds.nestedArrays(SERIALIZATION),
                    Crowds.sharedSets());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String gridPosted(String text, Runnable onRead) {
        try {
            return PostedText.read(text, onRead);
        } catch (IllegalArgumentException e) {
            return refusal(e);
        }
    }

    /** Reads a message between a client and a mediator; the check of it is not counted. */
    private static Set<String> gridClients(byte[] input, Allocation allocation) {
        allocation.start();
        ClientBytes.Taken taken = ClientBytes.take(input);
        allocation.stop(input.length, 0);
        return taken.check();
    }

    /** Reads a record of the grid; the check of it is not counted. */
    private static Set<String> grid(byte[] input, Allocation allocation) {
        allocation.start();
        GridBytes.Taken taken = GridBytes.take(input);
        allocation.stop(input.length, 0);
        return Set.of(taken.check());
    }

    private static Set<String> otlp(byte[] input, Allocation allocation) {
        allocation.start();
        Set<String> outcomes = OtlpBytes.request(input);
        allocation.stop(input.length, 0);
        return outcomes;
    }

    // ------------------------------------------------------------------ texts

    /** Reads a text; checks of the result are not counted. */
    @FunctionalInterface
    private interface TextDecoder {
        String decode(String text, Runnable onRead);
    }

    private static Target text(String name, TextDecoder decoder, String... examples) {
        Set<String> outcomes = new TreeSet<>(Set.of("refused"));
        for (String example : examples) {
            outcomes.add(decoder.decode(example, () -> {}));
        }
        Target.Decoder measured = (input, allocation) -> {
            String text = new String(input, StandardCharsets.UTF_8);
            boolean[] isRead = new boolean[1];
            allocation.start();
            String outcome = decoder.decode(text, () -> {
                allocation.stop(input.length, 0);
                isRead[0] = true;
            });
            if (!isRead[0]) {
                allocation.stop(input.length, 0);
            }
            return Set.of(outcome);
        };
        return Target.of(
                name,
                measured,
                () -> Stream.concat(Arrays.stream(examples), Crowds.texts(name).stream())
                        .map(each -> each.getBytes(StandardCharsets.UTF_8))
                        .toList(),
                outcomes);
    }

    private static String selector(String text, Runnable onRead) {
        Selector selector;
        try {
            selector = Selector.parse(text);
        } catch (IllegalArgumentException e) {
            return refusal(e);
        }
        onRead.run();
        return selector.matches(MEASUREMENT) ? "chooses" : "taken";
    }

    private static String json(String text, Runnable onRead) {
        Object value;
        try {
            value = Json.parse(text);
        } catch (IllegalArgumentException e) {
            return refusal(e);
        }
        onRead.run();
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

    private static String yaml(String text, Runnable onRead) {
        NodeSpec read;
        try {
            read = YamlFile.parse("fuzz.yaml", text, spec());
        } catch (SettingException e) {
            return refusal(e);
        }
        onRead.run();
        String printed = YamlFile.print(read);
        if (!YamlFile.print(YamlFile.parse("again.yaml", printed, spec())).equals(printed)) {
            throw new IllegalStateException("printed and read again it is another: " + printed);
        }
        return "taken";
    }

    static String yamlExample() {
        return YamlFile.print(spec().withNode(spec().node()
                .with(TransportSettings.NAME, "n1")
                .with(NodeSettings.SEEDS, List.of("n1:7800", "n2:7800"))
                .with(TransportSettings.BIND_PORT, 7_900)));
    }

    /** Reads a line {@code name: value}, as the command line, properties and variables have it. */
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
