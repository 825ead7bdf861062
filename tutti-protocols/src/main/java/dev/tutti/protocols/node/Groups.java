package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.IntMap;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import dev.tutti.protocols.membership.Membership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Groups of a node, and their members on other nodes.
 *
 * <p>A member is announced to every node with GROUP_JOINED. A node with a member in the same group answers with
 * GROUP_MET, which names both: its later packets are meant for that member, and no earlier ones are. So a member that
 * has left and joined again never takes packets that were meant for its former membership.
 */
final class Groups {

    /** Number of members of one other node; beyond, the session is closed. */
    static final int MEMBERS_MAX = 1 << 16;

    /** Memory in bytes for the members of one other node; beyond, the session is closed. */
    static final long BYTES_MAX = 16L << 20;

    /** Memory in bytes for the members of all nodes; beyond, the session with the largest node is closed. */
    static final long BYTES_TOTAL_MAX = 64L << 20;

    /** Memory in bytes of a member without its texts, rounded up. */
    private static final int MEMBER_BYTES = 160;

    private final NodeId self;
    private final int version;
    private final Links links;
    private final EffectQueue effects;
    private final Memory memory;
    private final LinkedHashMap<String, GroupPort> byName = new LinkedHashMap<>();
    private final IntMap<GroupPort> byJoin = new IntMap<>();

    /** Members by link. Never iterated: links are iterated instead. */
    private final HashMap<Link, Remotes> remotes = new HashMap<>();

    /** All remote members by group, in the order of their arrival. */
    private final HashMap<String, List<RemoteMember>> byGroup = new HashMap<>();

    private final List<GroupPort> joining = new ArrayList<>();
    private StackFingerprint lastFingerprint = new StackFingerprint("");
    private int lastJoin;

    /** Estimate of the memory that all members of other nodes take. */
    private long bytes;

    /** Groups that are {@link GroupPort#isOnWatch}. */
    private int watchers;

    private long notJoined;
    private long malformed;
    private long mismatches;
    private boolean isStopped;
    private @Nullable MulticastPort multicast;

    /** Question that the records have not answered yet. */
    private record Question(GroupPort port, long number) {}

    private final IntMap<Question> questions = new IntMap<>();
    private int lastQuestion;
    private @Nullable DurableStore store;
    private DurableStore.@Nullable Client client;

    /** @param version highest version of a group's packets that this node speaks */
    Groups(NodeId self, int version, Links links, EffectQueue effects, Memory memory) {
        this.self = self;
        this.version = version;
        this.links = links;
        this.effects = effects;
        this.memory = memory;
    }

    int version() {
        return version;
    }

    Links links() {
        return links;
    }

    EffectQueue effects() {
        return effects;
    }

    @Nullable MulticastPort multicast() {
        return multicast;
    }

    void useMulticast(MulticastPort port) {
        multicast = port;
    }

    /** Sets the records in which members keep persistent state, and the receiver of their answers. */
    void useStore(DurableStore used, DurableStore.Client answered) {
        store = used;
        client = answered;
    }

    /** Updates all groups after a change of the nodes that multicast reaches. */
    void onReach() {
        for (GroupPort port : byName.values()) {
            port.findOthers();
        }
    }

    /** Returns whether a group depends on the load of the CPU. */
    boolean isOnWatch() {
        return watchers > 0;
    }

    void onProcessor(boolean isBusy) {
        for (GroupPort port : byName.values()) {
            if (port.isOnWatch()) {
                port.processor(isBusy);
            }
        }
    }

    @Nullable GroupPort port(int join) {
        return byJoin.get(join);
    }

    // ------------------------------------------------------------------ store

    void load(GroupPort port) {
        DurableStore asked = Objects.requireNonNull(store);
        DurableStore.Client answered = Objects.requireNonNull(client);
        int question = ask(port, 0);
        effects.question(() -> asked.load(question, port.group(), answered));
    }

    void store(GroupPort port, long number, Packet record) {
        DurableStore asked = Objects.requireNonNull(store);
        DurableStore.Client answered = Objects.requireNonNull(client);
        byte[] bytes = new byte[record.length()];
        record.bytes().get(record.offset(), bytes);
        int question = ask(port, number);
        effects.question(() -> asked.store(question, port.group(), bytes, answered));
    }

    private int ask(GroupPort port, long number) {
        lastQuestion++;
        questions.put(lastQuestion, new Question(port, number));
        return lastQuestion;
    }

    void onLoaded(int question, byte @Nullable [] record) {
        Question asked = questions.remove(question);
        if (asked != null) {
            asked.port().answered(new Signal.Primary.Loaded(record == null ? null : packet(record)));
        }
    }

    private static Packet packet(byte[] bytes) {
        return Packet.create(Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length);
    }

    void onStored(int question) {
        Question asked = questions.remove(question);
        if (asked != null) {
            asked.port().answered(new Signal.Primary.Stored(asked.number()));
        }
    }

    /** Ends the membership whose record failed: a member that can't keep its votes must not vote. */
    void onFailed(int question, String detail) {
        Question asked = questions.remove(question);
        if (asked != null) {
            asked.port().left(detail);
        }
    }

    boolean hasRecords() {
        return store != null;
    }

    // ------------------------------------------------------------------ this node's members

    /** Returns the identity of the next member to join. */
    Member nextMember(String group) {
        if (byName.containsKey(group)) {
            throw new IllegalStateException("group '" + group + "' is joined already; a node joins a group once");
        }
        return new Member(self, ++lastJoin);
    }

    void join(GroupPort port) {
        byName.put(port.group(), port);
        watchers += port.isOnWatch() ? 1 : 0;
        byJoin.put(port.self().join(), port);
        joining.add(port);
        for (Link link : links.all()) {
            if (link.isOpen()) {
                announce(link, port);
            }
        }
        for (RemoteMember remote : remotes(port.group())) {
            meet(remote, port);
        }
    }

    private List<RemoteMember> remotes(String group) {
        return List.copyOf(byGroup.getOrDefault(group, List.of()));
    }

    void left(GroupPort port) {
        byName.remove(port.group());
        watchers -= port.isOnWatch() ? 1 : 0;
        byJoin.remove(port.self().join());
        joining.remove(port);
        for (Link link : links.all()) {
            if (link.isOpen() && !isStopped) {
                links.send(link, frame(4, Frames.GROUP_LEFT).appendInt(port.self().join()));
            }
        }
    }

    /** Ends all memberships; the others learn it from the node's goodbye. */
    void stop() {
        isStopped = true;
        for (GroupPort port : List.copyOf(byName.values())) {
            port.left("the node was stopped");
        }
    }

    private void announce(Link link, GroupPort port) {
        byte[] text = port.announcement(link.version());
        links.send(link, frame(4 + text.length, Frames.GROUP_JOINED)
                .appendInt(port.self().join())
                .append(text, 0, text.length));
    }

    private Packet frame(int bytes, int type) {
        return Frames.create(memory, type, bytes);
    }

    // ------------------------------------------------------------------ joining

    boolean isJoining() {
        return !joining.isEmpty();
    }

    /** Returns the next end of a join bounded by the node's patience. Others are checked at every tick. */
    long patienceEnd(long patienceNanos) {
        long earliest = Links.NEVER;
        for (GroupPort port : joining) {
            if (port.patienceNanos() == 0) {
                earliest = Math.min(earliest, port.joinedNanos() + patienceNanos);
            }
        }
        return earliest;
    }

    /**
     * Completes joins: all addresses were asked, and one of the members found is in the view, or all of them for a
     * group with its own patience.
     *
     * @param isEverySeedKnown whether every seed has answered, given the patience in nanoseconds
     */
    void settleJoins(boolean isEverybodyAsked, LongPredicate isEverySeedKnown, long patienceNanos, long nowNanos) {
        for (GroupPort port : List.copyOf(joining)) {
            long waitedNanos = nowNanos - port.joinedNanos();
            long ownNanos = port.patienceNanos();
            boolean isComplete = ownNanos == 0
                    ? waitedNanos >= patienceNanos || isEverybodyAsked && isWithSomebody(port)
                    : isEverybodyAsked
                            && isEverySeedKnown.test(ownNanos)
                            && (waitedNanos >= 2 * ownNanos || isWithAll(port));
            if (isComplete) {
                joining.remove(port);
                port.tellJoined();
            }
        }
    }

    private boolean isWithSomebody(GroupPort port) {
        boolean isAlone = true;
        for (RemoteMember remote : byGroup.getOrDefault(port.group(), List.of())) {
            if (isPair(remote, port)) {
                if (port.isInView(remote.member)) {
                    return true;
                }
                if (port.isAlone()) {
                    return false;
                }
                isAlone = false;
            }
        }
        return isAlone;
    }

    private boolean isWithAll(GroupPort port) {
        for (RemoteMember remote : byGroup.getOrDefault(port.group(), List.of())) {
            if (isPair(remote, port) && !port.isInView(remote.member)) {
                return false;
            }
        }
        return true;
    }

    // ------------------------------------------------------------------ links

    void onOpened(Link link) {
        remotes.put(link, new Remotes());
        for (GroupPort port : byName.values()) {
            announce(link, port);
        }
    }

    void onClosed(Link link, boolean isGraceful, String reason) {
        Remotes known = remotes.remove(link);
        if (known != null) {
            bytes -= known.bytes;
            for (RemoteMember remote = known.first; remote != null; remote = remote.after) {
                forget(remote);
                GroupPort port = remote.port;
                if (port != null) {
                    port.closed(remote, isGraceful, reason);
                }
            }
        }
    }

    // ------------------------------------------------------------------ frames

    /** Passes a packet to its group. Takes ownership of it. */
    void onPacket(Link link, Packet packet) {
        int join = packet.takeInt();
        Remotes known = remotes.get(link);
        RemoteMember sender = known == null ? null : known.get(join);
        GroupPort port = sender == null ? null : sender.port;
        if (sender == null || port == null) {
            notJoined++;
            packet.release();
        } else {
            port.receive(sender, packet);
        }
    }

    /** Takes an announcement. The caller releases the frame. */
    void onAnnouncement(Link link, int type, Packet frame) {
        Remotes known = Objects.requireNonNull(remotes.get(link));
        switch (type) {
            case Frames.GROUP_JOINED -> onJoined(link, known, frame);
            case Frames.GROUP_MET -> onMet(known, frame);
            case Frames.GROUP_LEFT -> onLeft(known, frame);
            default -> throw new IllegalArgumentException("frame of type " + type);
        }
    }

    private void onJoined(Link link, Remotes known, Packet frame) {
        int join = frame.takeInt();
        GroupAnnouncement announced = GroupAnnouncement.decode(link.version(), frame);
        String group = announced.group();
        String text = announced.fingerprint().text();
        if (frame.isMalformed() || known.get(join) != null) {
            malformed++;
            return;
        }
        if (known.size() >= MEMBERS_MAX) {
            links.close(link, false, "it has joined more than " + MEMBERS_MAX + " groups");
            return;
        }
        GroupPort port = byName.get(group);
        boolean isShared = lastFingerprint.text().equals(text) || port != null && port.fingerprint().text().equals(text);
        int memberBytes = MEMBER_BYTES + (port == null ? 2 * group.length() : 0) + (isShared ? 0 : 2 * text.length());
        if (known.bytes + memberBytes > BYTES_MAX) {
            links.close(link, false, "it has announced more groups than " + (BYTES_MAX >> 20) + " MiB");
            return;
        }
        if (!makeRoom(link, memberBytes)) {
            return;
        }
        if (!lastFingerprint.text().equals(text)) {
            // One object for all equal fingerprints, including the local one.
            StackFingerprint here = port == null ? null : port.fingerprint();
            lastFingerprint = here != null && here.text().equals(text) ? here : announced.fingerprint();
        }
        String name = port == null ? group : port.group();
        RemoteMember remote = new RemoteMember(
                link, new Member(link.node(), join), announced.sharing(name, lastFingerprint), memberBytes);
        known.add(remote);
        bytes += memberBytes;
        byGroup.computeIfAbsent(name, absent -> new ArrayList<>(1)).add(remote);
        if (port != null) {
            meet(remote, port);
        }
    }

    /** Makes room by closing the session with the largest node; returns false if that is the one at {@code link}. */
    private boolean makeRoom(Link link, int memberBytes) {
        while (bytes + memberBytes > BYTES_TOTAL_MAX) {
            Link largest = link;
            for (Link other : links.open()) {
                largest = bytesOf(other) > bytesOf(largest) ? other : largest;
            }
            links.close(largest, false, "all nodes have announced more groups than " + (BYTES_TOTAL_MAX >> 20)
                    + " MiB, and this one the most");
            if (largest == link) {
                return false;
            }
        }
        return true;
    }

    private long bytesOf(Link link) {
        Remotes known = remotes.get(link);
        return known == null ? 0 : known.bytes;
    }

    /** Sends GROUP_MET for two members that are both known here, unless they do not fit together. */
    private void meet(RemoteMember remote, GroupPort port) {
        String difference = difference(remote, port);
        remote.isCompatible = difference == null;
        if (difference == null) {
            links.send(remote.link, frame(8, Frames.GROUP_MET)
                    .appendInt(port.self().join())
                    .appendInt(remote.member.join()));
        } else {
            mismatches++;
            effects.event(new NodeEvents.StackMismatch(port.group(), remote.member.node(), difference));
        }
    }

    /** Returns why the two members do not meet; null if they do. */
    private static @Nullable String difference(RemoteMember remote, GroupPort port) {
        String difference = port.fingerprint().difference(remote.announced.fingerprint(), remote.member.name());
        if (difference == null && remote.port == null && !port.hasRoomFor(remote.member)) {
            return "no room for " + remote.member.name() + ": a view of all members would take more than "
                    + Membership.CONTROL_BYTES_MAX + " bytes (shorter names and addresses make room)";
        }
        return difference;
    }

    /** Adds a trouble for each member of another node that does not meet the local one, in order of arrival. */
    void mismatches(List<Trouble> troubles) {
        for (GroupPort port : byName.values()) {
            for (RemoteMember remote : byGroup.getOrDefault(port.group(), List.of())) {
                String difference = difference(remote, port);
                if (difference != null) {
                    troubles.add(Trouble.mismatch(port.group(), remote.member.node(), difference));
                }
            }
        }
    }

    private void onMet(Remotes known, Packet frame) {
        RemoteMember remote = known.get(frame.takeInt());
        GroupPort port = byJoin.get(frame.takeInt());
        if (frame.isMalformed()) {
            malformed++;
            return;
        }
        // Either of the two may have left meanwhile.
        if (remote != null && port != null && remote.port == null && isPair(remote, port)) {
            port.opened(remote);
        }
    }

    private static boolean isPair(RemoteMember remote, GroupPort port) {
        return remote.group().equals(port.group()) && remote.isCompatible;
    }

    private void onLeft(Remotes known, Packet frame) {
        int join = frame.takeInt();
        RemoteMember remote = known.remove(join);
        if (remote == null) {
            malformed++;
            return;
        }
        bytes -= remote.bytes;
        forget(remote);
        GroupPort port = remote.port;
        if (port != null) {
            port.closed(remote, true, "it has left the group");
        }
    }

    private void forget(RemoteMember remote) {
        List<RemoteMember> members = byGroup.get(remote.group());
        if (members != null) {
            members.remove(remote);
            if (members.isEmpty()) {
                byGroup.remove(remote.group());
            }
        }
    }

    void report(Report report) {
        report.put("joined", byName.size());
        report.put("malformed", malformed);
        report.put("stack-mismatches", mismatches);
        report.put("dropped-" + DropReason.NOT_JOINED.name().toLowerCase(Locale.ROOT).replace('_', '-'), notJoined);
        for (GroupPort port : byName.values()) {
            port.report(report.section(port.group()));
        }
        reportElsewhere(report);
    }

    /** Reports groups that other nodes have joined and this one has not, and their setup there. */
    private void reportElsewhere(Report report) {
        int count = 0;
        for (Link link : links.all()) {
            Remotes known = remotes.get(link);
            RemoteMember remote = known == null ? null : known.first;
            while (remote != null) {
                if (!byName.containsKey(remote.group())) {
                    if (count < ELSEWHERE_MAX) {
                        report.section("elsewhere")
                                .section(remote.member.name())
                                .put(remote.group(), remote.announced.fingerprint().describe());
                    }
                    count++;
                }
                remote = remote.after;
            }
        }
        if (count > ELSEWHERE_MAX) {
            report.section("elsewhere").put("and-more", count - ELSEWHERE_MAX);
        }
    }

    private static final int ELSEWHERE_MAX = 100;
}
