package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.TreeSet;

/** The membership layer of one member; the test plays the others and the layer above. Messages are shown as text. */
final class MembershipScene {

    static final Membership.Timing TIMING = new Membership.Timing(2_000_000_000L, 50_000_000L, 5_000_000_000L);

    final Member self;
    final LayerTest layer;
    View view;
    private final TreeMap<Member, List<Member>> heard = new TreeMap<>();

    MembershipScene(int self) {
        this(self, 1);
    }

    MembershipScene(int self, int version) {
        this.self = LayerTest.member(self);
        this.layer = new LayerTest(new Membership(this.self, version, TIMING));
        this.view = View.alone(this.self);
        layer.endTurn();
        layer.raised.clear();
        layer.lowered.clear();
    }

    static Member m(int number) {
        return LayerTest.member(number);
    }

    static List<Member> members(int... numbers) {
        List<Member> members = new ArrayList<>();
        for (int number : numbers) {
            members.add(m(number));
        }
        return members;
    }

    static ViewId id(long number, int attempt, int proposer) {
        return new ViewId(number, attempt, m(proposer));
    }

    /** Pairs of sender and number. */
    static TreeMap<Member, Long> vector(long... pairs) {
        TreeMap<Member, Long> vector = new TreeMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            vector.put(m((int) pairs[index]), pairs[index + 1]);
        }
        return vector;
    }

    static View.Part part(ViewId previous, List<Member> members, TreeMap<Member, Long> cut) {
        return new View.Part(previous, members, cut);
    }

    // ------------------------------------------------------------------ states

    /** The member, steady in the view {@code 5.1} of all these, which the first of them proposed. */
    static MembershipScene steady(int self, int... numbers) {
        return steady(new MembershipScene(self), self, member -> 1, numbers);
    }

    /** The same with members of different versions. */
    static MembershipScene steady(int self, ToIntFunction<Member> versions, int... numbers) {
        return steady(new MembershipScene(self, versions.applyAsInt(m(self))), self, versions, numbers);
    }

    private static MembershipScene steady(MembershipScene scene, int self, ToIntFunction<Member> versions, int... numbers) {
        List<Member> members = members(numbers);
        int first = numbers[0];
        for (Member member : members) {
            if (!member.equals(scene.self)) {
                scene.open(member, versions.applyAsInt(member));
            }
        }
        ViewId ballot = first == self ? id(2, 1, first) : id(5, 1, first);
        for (Member member : members) {
            if (!member.equals(scene.self)) {
                scene.advert(member, View.alone(member), id(1, 1, numberOf(member)), m(first), members, List.of());
            }
        }
        List<View.Part> parts = new ArrayList<>();
        for (Member member : members) {
            parts.add(part(View.alone(member).id(), List.of(member), new TreeMap<>()));
        }
        scene.turn();
        if (first == self) {
            scene.layer.advance(TIMING.mergeDelayNanos());
            scene.frozen(vector(self, 0));
            for (Member member : members) {
                if (!member.equals(scene.self)) {
                    scene.ack(member, ballot, View.alone(member), vector(numberOf(member), 0));
                }
            }
        } else {
            scene.prepare(members.getFirst(), ballot);
            scene.frozen(vector(self, 0));
            scene.cut(members.getFirst(), ballot, new View(ballot, members, parts), vectorless());
        }
        scene.reached(ballot);
        View view = scene.view;
        for (Member member : members) {
            if (!member.equals(scene.self)) {
                scene.advert(member, view, view.id(), m(first), members, List.of());
            }
        }
        scene.turn();
        scene.forget();
        return scene;
    }

    private static int numberOf(Member member) {
        return (int) member.node().incarnation();
    }

    static TreeMap<Member, Member> vectorless() {
        return new TreeMap<>();
    }

    /** Forgets what came out so far. */
    void forget() {
        layer.takeSent().forEach(Packet::release);
        layer.raised.clear();
        layer.lowered.clear();
        layer.dropped.clear();
    }

    String state() {
        return layer.texts().get("membership.state");
    }

    long count(String name) {
        return layer.numbers().get("membership." + name);
    }

    // ------------------------------------------------------------------ inputs

    void turn() {
        layer.endTurn();
        noteInstalled();
    }

    void open(Member member) {
        open(member, 1);
    }

    void open(Member member, int version) {
        layer.signalUp(new Signal.Peer.Opened(member, version));
    }

    void close(Member member) {
        layer.signalUp(new Signal.Peer.Closed(member, false, "test"));
    }

    void advert(Member from, View of, ViewId promised, Member follows, List<Member> members, List<Member> lost) {
        heard.put(from, members);
        layer.receive(from, advertOf(from, of, promised, follows, members, lost));
    }

    /** The answer to WHO. */
    void listed(Member from, View of) {
        layer.receive(from, advertOf(of, of.id(), from, new Advert.Listed(of.members())));
        turn();
    }

    void followed(Member from, ViewId of) {
        layer.receive(from, followed(of));
        turn();
    }

    static Packet followed(ViewId of) {
        Packet packet = control(MembershipMessage.VIEW_STABLE);
        Wire.append(packet, of);
        return packet;
    }

    void prepare(Member from, ViewId ballot) {
        layer.receive(from, prepare(ballot));
    }

    /** As a member does, it advertises its promise before it answers. */
    void ack(Member from, ViewId ballot, View of, TreeMap<Member, Long> received) {
        List<Member> members = heard.get(from);
        if (members != null) {
            advert(from, of, ballot, self, members, List.of());
        }
        layer.receive(from, ack(ballot, of, received));
    }

    void nack(Member from, ViewId ballot, ViewId promised, long number, Member follows) {
        layer.receive(from, nack(ballot, promised, number, follows));
    }

    void cut(Member from, ViewId ballot, View record, long[] since) {
        layer.receive(from, cut(ballot, record, since, new TreeMap<>()));
    }

    void cut(Member from, ViewId ballot, View record, TreeMap<Member, Member> holders) {
        layer.receive(from, cut(ballot, record, holders));
    }

    static Packet advertOf(
            Member from, View of, ViewId promised, Member follows, List<Member> members, List<Member> lost) {
        TreeSet<Member> heard = new TreeSet<>(members);
        heard.remove(from);
        return advertOf(of, promised, follows, Advert.heard(heard, lost));
    }

    static Packet advertOf(View of, ViewId promised, Member follows, Advert.Detail detail) {
        long joined = of.size() > 1 ? of.id().number() : Advert.NOT_YET;
        Packet packet = control(MembershipMessage.ADVERT);
        new Advert(of.id(), promised, follows, joined).appendTo(packet, detail);
        return packet;
    }

    static Packet prepare(ViewId ballot) {
        return prepare(ballot, new ViewId(1, 1, m(99)));
    }

    /** A ballot whose proposer is in {@code view}. */
    static Packet prepare(ViewId ballot, ViewId view) {
        Packet packet = control(MembershipMessage.PREPARE);
        Wire.append(packet, ballot);
        Wire.append(packet, view);
        return packet;
    }

    static Packet ack(ViewId ballot, View of, TreeMap<Member, Long> received) {
        Packet packet = control(MembershipMessage.ACK);
        Wire.append(packet, ballot);
        packet.appendBoolean(true);
        Wire.append(packet, of);
        Wire.append(packet, received);
        return packet;
    }

    static Packet nack(ViewId ballot, ViewId promised, long number, Member follows) {
        Packet packet = control(MembershipMessage.NACK);
        Wire.append(packet, ballot);
        Wire.append(packet, promised);
        packet.appendLong(number);
        Wire.append(packet, follows);
        return packet;
    }

    static Packet cut(ViewId ballot, View record, TreeMap<Member, Member> holders) {
        long[] since = new long[record.size()];
        Arrays.fill(since, record.id().number());
        return cut(ballot, record, since, holders);
    }

    static Packet cut(ViewId ballot, View record, long[] since, TreeMap<Member, Member> holders) {
        Packet packet = control(MembershipMessage.CUT);
        Wire.append(packet, ballot);
        Wire.append(packet, record);
        for (long number : since) {
            packet.appendLong(number);
        }
        packet.appendInt(holders.size());
        holders.forEach((sender, holder) -> {
            Wire.append(packet, sender);
            Wire.append(packet, holder);
        });
        return packet;
    }

    static Packet control(int kind) {
        return Packet.create(Memory.onHeap(), 1 << 20).appendByte(kind);
    }

    /** The layer above has stopped for the last ballot that it was asked to. */
    void frozen(TreeMap<Member, Long> received) {
        ViewId ballot = layer.takeRaised(Signal.ViewChange.Freeze.class).getLast().ballot();
        layer.signalDown(new Signal.ViewChange.Frozen(ballot, received));
        turn();
    }

    /** The layer above has everything up to the cut. */
    void reached(ViewId ballot) {
        layer.signalDown(new Signal.ViewChange.Flushed(ballot));
        turn();
    }

    private void noteInstalled() {
        for (Signal signal : layer.raised) {
            if (signal instanceof Signal.ViewChange.Installed installed) {
                view = installed.view();
            }
        }
    }

    // ------------------------------------------------------------------ messages as text

    /** Messages sent since the last look, but for adverts. */
    List<String> ballotMessages() {
        return messages().stream().filter(text -> !text.startsWith("ADVERT")).toList();
    }

    List<String> adverts() {
        return messages().stream().filter(text -> text.startsWith("ADVERT")).toList();
    }

    List<String> messages() {
        List<String> texts = new ArrayList<>();
        for (Packet packet : layer.takeSent()) {
            texts.add(text(packet) + " to " + packet.peer());
            packet.release();
        }
        return texts;
    }

    private static String text(Packet packet) {
        return switch (packet.takeByte()) {
            case MembershipMessage.DATA -> "DATA";
            case MembershipMessage.ADVERT -> {
                Advert advert = Advert.takeFrom(packet, new Members());
                String detail =
                        switch (Advert.takeDetail(packet, new Members())) {
                            case Advert.Nothing() -> "";
                            case Advert.Heard(List<Member> heard, List<Member> lost) ->
                                " heard " + heard + " lost " + lost;
                            case Advert.Changes(List<Member> opened, List<Member> closed, List<Member> lost) ->
                                " opened " + opened + " closed " + closed + " lost " + lost;
                            case Advert.Listed(List<Member> members) -> " members " + members;
                        };
                yield "ADVERT " + advert.view() + " promised " + advert.promised() + " follows " + advert.follows()
                        + detail;
            }
            case MembershipMessage.PREPARE -> "PREPARE " + Wire.takeViewId(packet, new Members());
            case MembershipMessage.ACK ->
                "ACK " + Wire.takeViewId(packet, new Members()) + " from "
                        + (packet.takeBoolean()
                                ? Wire.takeView(packet, new Members()).id()
                                : Wire.takeViewId(packet, new Members()))
                        + " " + Wire.takeVector(packet, new Members());
            case MembershipMessage.NACK ->
                "NACK " + Wire.takeViewId(packet, new Members()) + " promised " + Wire.takeViewId(packet, new Members()) + " in "
                        + packet.takeLong() + " follows " + Wire.takeMember(packet, new Members());
            case MembershipMessage.CUT -> {
                ViewId ballot = Wire.takeViewId(packet, new Members());
                View record = Wire.takeView(packet, new Members());
                record.members().forEach(member -> packet.takeLong());
                StringBuilder text = new StringBuilder("CUT " + ballot + " view " + record);
                for (View.Part part : record.parts()) {
                    text.append(" part ").append(part.previous()).append(part.members()).append(part.cut());
                }
                int count = packet.takeInt();
                for (int index = 0; index < count; index++) {
                    text.append(" ").append(Wire.takeMember(packet, new Members())).append("@").append(Wire.takeMember(packet, new Members()));
                }
                yield text.toString();
            }
            case MembershipMessage.WHO -> "WHO";
            case MembershipMessage.VIEW_STABLE -> "VIEW_STABLE " + Wire.takeViewId(packet, new Members());
            case MembershipMessage.TAG_STABLE -> "TAG_STABLE " + packet.takeLong() + "." + packet.takeInt() + "@" + packet.takeLong();
            default -> "unknown";
        };
    }
}
