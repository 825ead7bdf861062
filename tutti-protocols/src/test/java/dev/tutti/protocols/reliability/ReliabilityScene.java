package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The reliability layer of member 1; the test plays membership below, packing above, and the other members. */
final class ReliabilityScene {

    static final long WINDOW = 128 * 1024;
    static final Reliability.Limits LIMITS = new Reliability.Limits(WINDOW, 2_000_000, 50_000_000, 1_000_000_000, 5_000_000_000L);
    static final long PATIENCE = 98_000_000;

    final LayerTest layer;
    View view = View.alone(member(1));

    private ReliabilityScene(int multicastBytes, Reliability.@Nullable Round round) {
        layer = new LayerTest(new Reliability(member(1), LIMITS, multicastBytes, round));
    }

    /** In the view 2.1 of members 1 to {@code count}, all of whom were alone before. */
    static ReliabilityScene of(int count) {
        return of(count, 0);
    }

    /** The same, where multicasts may be lost if {@code multicastBytes} is above 0. */
    static ReliabilityScene of(int count, int multicastBytes) {
        return of(count, new ReliabilityScene(multicastBytes, null));
    }

    /** The same, where multicasts go from member to member. */
    static ReliabilityScene ring(int count) {
        return of(count, new ReliabilityScene(0, new Reliability.Round(PATIENCE, false)));
    }

    /** The same, where each sender tries whether that is faster. */
    static ReliabilityScene tried(int count) {
        return of(count, new ReliabilityScene(0, new Reliability.Round(PATIENCE, true)));
    }

    private static ReliabilityScene of(int count, ReliabilityScene scene) {
        List<View.Part> parts = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            members.add(member(number));
            parts.add(new View.Part(View.alone(member(number)).id(), List.of(member(number)), new TreeMap<>()));
        }
        scene.install(new View(new ViewId(2, 1, member(1)), members, parts));
        scene.layer.endTurn();
        scene.forget();
        return scene;
    }

    void forget() {
        layer.takeSent().forEach(Packet::release);
        layer.raised.clear();
        layer.lowered.clear();
    }

    /** The next view, of these members, all from the present one but for {@code newcomers}. */
    View next(List<Member> members, Member... newcomers) {
        return next(members, 1, newcomers);
    }

    /** The next view, of these members, all from the present one but for {@code others}, each from another one. */
    View nextWith(List<Member> members, Member... others) {
        return next(members, view.id().number(), others);
    }

    private View next(List<Member> members, long othersNumber, Member... others) {
        List<Member> part = new ArrayList<>(members);
        part.removeAll(List.of(others));
        List<View.Part> parts = new ArrayList<>();
        parts.add(new View.Part(view.id(), part, new TreeMap<>()));
        for (Member other : others) {
            parts.add(new View.Part(new ViewId(othersNumber, 1, other), List.of(other), new TreeMap<>()));
        }
        return new View(new ViewId(view.id().number() + 1, 1, member(1)), members, parts);
    }

    void install(View next) {
        view = next;
        layer.signalUp(new Signal.ViewChange.Installed(next, 1, true));
    }

    void freeze() {
        layer.signalDown(new Signal.ViewChange.Frozen(ballot(), new TreeMap<>()));
    }

    ViewId ballot() {
        return new ViewId(view.id().number() + 1, 1, member(1));
    }

    void reach(TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) {
        layer.signalUp(new Signal.ViewChange.Flush(ballot(), cut, holders));
    }

    TreeMap<Member, Long> received() {
        freeze();
        return layer.takeLowered(Signal.ViewChange.Frozen.class).getLast().received();
    }

    // ------------------------------------------------------------------ down

    void send(String text) {
        layer.sendDown(payload(text));
    }

    void sendTo(int receiver, String text) {
        layer.sendDown(payload(text).withPeer(member(receiver)));
    }

    Packet payload(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Packet.create(layer.memory, bytes.length).append(bytes, 0, bytes.length);
    }

    // ------------------------------------------------------------------ up

    void multicast(int from, ViewId in, long number, long stable, String text) {
        Packet packet = payload(text).prependLong(stable).prependLong(number);
        Wire.prependTag(packet, in);
        layer.receive(member(from), packet.prependByte(PacketKind.MULTICAST));
    }

    void multicast(int from, long number, String text) {
        multicast(from, view.id(), number, 0, text);
    }

    /** From {@code from}, who passes on a packet of the member with rank {@code origin}, once round. */
    void relayed(int from, ViewId in, int origin, long number, String text) {
        relayed(from, in, origin, origin, number, text);
    }

    /** The same, which goes until before the member with rank {@code end}. */
    void relayed(int from, ViewId in, int origin, int end, long number, String text) {
        Packet packet = payload(text).prependLong(0).prependLong(number).prependInt(end).prependInt(origin);
        Wire.prependTag(packet, in);
        layer.receive(member(from), packet.prependByte(PacketKind.RELAYED));
    }

    void unicast(int from, long since, long number, String text) {
        layer.receive(
                member(from),
                payload(text).prependLong(number).prependLong(since).prependByte(PacketKind.UNICAST));
    }

    void ack(int from, long received, long limit, long unicastReceived, long unicastLimit) {
        ack(from, view.id(), 2, received, limit, unicastReceived, unicastLimit);
    }

    void ack(int from, ViewId in, long since, long received, long limit, long unicastReceived, long unicastLimit) {
        Packet packet = Packet.create(layer.memory, 0)
                .prependLong(unicastLimit)
                .prependLong(unicastReceived)
                .prependLong(since)
                .prependLong(limit)
                .prependLong(received);
        Wire.prependTag(packet, in);
        layer.receive(member(from), packet.prependByte(PacketKind.ACK));
    }

    void stable(int from, long number) {
        number(from, PacketKind.STABLE, number);
    }

    void sentUpTo(int from, long number) {
        number(from, PacketKind.SENT, number);
    }

    void ask(int from, long number) {
        number(from, PacketKind.ASK, number);
    }

    void nack(int from, long... ranges) {
        Packet packet = Packet.create(layer.memory, ranges.length * 8);
        for (long bound : ranges) {
            packet.appendLong(bound);
        }
        packet.prependInt(ranges.length / 2);
        Wire.prependTag(packet, view.id());
        layer.receive(member(from), packet.prependByte(PacketKind.NACK));
    }

    private void number(int from, int kind, long number) {
        Packet packet = Packet.create(layer.memory, 0).prependLong(number);
        Wire.prependTag(packet, view.id());
        layer.receive(member(from), packet.prependByte(kind));
    }

    /** The same sender so often. */
    void fetchRepeatedly(int from, ViewId in, int sender, int count) {
        Packet packet = Packet.create(layer.memory, 64 * 1024).appendByte(PacketKind.FETCH);
        Wire.append(packet, in);
        packet.appendInt(count);
        for (int index = 0; index < count; index++) {
            Wire.append(packet, member(sender));
            packet.appendLong(0).appendLong(Long.MAX_VALUE);
        }
        layer.receive(member(from), packet);
    }

    void fetch(int from, ViewId in, int sender, long first, long last) {
        Packet packet = Packet.create(layer.memory, 1024).appendByte(PacketKind.FETCH);
        Wire.append(packet, in);
        packet.appendInt(1);
        Wire.append(packet, member(sender));
        layer.receive(member(from), packet.appendLong(first).appendLong(last));
    }

    void repair(int from, ViewId in, int sender, long number, String text) {
        Packet packet = payload(text).prependLong(number).prependInt(1).prependLong(sender);
        Wire.prependTag(packet, in);
        layer.receive(member(from), packet.prependByte(PacketKind.REPAIR));
    }

    // ------------------------------------------------------------------ what came out

    /** Returns the packets delivered since the last call, {@code n2:text}; they are not consumed. */
    List<String> delivered() {
        List<String> texts = new ArrayList<>();
        for (Packet packet : layer.delivered) {
            byte[] bytes = new byte[packet.length()];
            packet.bytes().get(packet.offset(), bytes);
            texts.add(packet.peer() + ":" + new String(bytes, StandardCharsets.UTF_8));
        }
        return texts;
    }

    void consumeAll() {
        List<Packet> packets = List.copyOf(layer.delivered);
        layer.delivered.clear();
        packets.forEach(layer::consume);
    }

    /** Returns the packets sent since the last call, as text. */
    List<String> sent() {
        List<String> texts = new ArrayList<>();
        for (Packet packet : layer.takeSent()) {
            texts.add(text(packet) + (packet.peer() == null ? "" : " to " + packet.peer()));
            packet.release();
        }
        return texts;
    }

    private static String text(Packet packet) {
        int kind = packet.takeByte();
        return switch (kind) {
            case PacketKind.MULTICAST -> {
                packet.skip(Wire.TAG_BYTES);
                yield "MULTICAST " + packet.takeLong() + " stable " + packet.takeLong() + " " + rest(packet);
            }
            case PacketKind.RELAYED -> {
                packet.skip(Wire.TAG_BYTES);
                int origin = packet.takeInt();
                int end = packet.takeInt();
                yield "RELAYED of " + origin + (end == origin ? "" : " until " + end) + " number " + packet.takeLong()
                        + " stable " + packet.takeLong() + " " + rest(packet);
            }
            case PacketKind.UNICAST ->
                "UNICAST since " + packet.takeLong() + " number " + packet.takeLong() + " " + rest(packet);
            case PacketKind.ACK -> {
                packet.skip(Wire.TAG_BYTES);
                yield "ACK " + packet.takeLong() + " limit " + packet.takeLong() + " since " + packet.takeLong() + " "
                        + packet.takeLong() + " limit " + packet.takeLong();
            }
            case PacketKind.STABLE -> {
                packet.skip(Wire.TAG_BYTES);
                yield "STABLE " + packet.takeLong();
            }
            case PacketKind.FETCH -> {
                StringBuilder text = new StringBuilder("FETCH " + Wire.takeViewId(packet, new Members()).number());
                int count = packet.takeInt();
                for (int index = 0; index < count; index++) {
                    text.append(" ").append(Wire.takeMember(packet, new Members())).append(" ");
                    text.append(packet.takeLong()).append("-").append(packet.takeLong());
                }
                yield text.toString();
            }
            case PacketKind.REPAIR -> {
                long view = packet.takeLong();
                packet.skip(Wire.TAG_BYTES - 8);
                yield "REPAIR in " + view + " n" + packet.takeLong() + "." + packet.takeInt() + " " + packet.takeLong()
                        + " " + rest(packet);
            }
            case PacketKind.NACK -> {
                packet.skip(Wire.TAG_BYTES);
                StringBuilder text = new StringBuilder("NACK");
                int count = packet.takeInt();
                for (int index = 0; index < count; index++) {
                    text.append(" ").append(packet.takeLong()).append("-").append(packet.takeLong());
                }
                yield text.toString();
            }
            case PacketKind.SENT -> {
                packet.skip(Wire.TAG_BYTES);
                yield "SENT " + packet.takeLong();
            }
            case PacketKind.ASK -> {
                packet.skip(Wire.TAG_BYTES);
                yield "ASK " + packet.takeLong();
            }
            case PacketKind.DELIVERED -> {
                packet.skip(Wire.TAG_BYTES);
                long view = packet.takeLong();
                packet.skip(Wire.TAG_BYTES - 8);
                yield "DELIVERED " + packet.takeLong() + " in " + view;
            }
            default -> "kind " + kind;
        };
    }

    private static String rest(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    long number(String name) {
        return layer.numbers().get("reliability." + name);
    }
}
