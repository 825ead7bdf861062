package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Runner;
import dev.tutti.protocols.datagram.HostedMachine;
import dev.tutti.protocols.datagram.Multicast;
import dev.tutti.protocols.detection.Detector;
import dev.tutti.protocols.discovery.Discovery;
import dev.tutti.protocols.discovery.Discovery.Outcome;
import dev.tutti.protocols.discovery.Seeds;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import dev.tutti.protocols.link.Refusal;
import dev.tutti.protocols.packing.Submissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A node: links to other nodes, discovery, detection, and the groups that share them.
 *
 * <p>Several inputs may come before a {@link #drain}, which processes them and hands their effects out.
 */
public final class NodeMachine implements HostedMachine {

    /** Creates a group's layers, from the bottom to the top. */
    @FunctionalInterface
    interface StackMaker {
        List<Layer> layers(Member self, Settings settings, Submissions submissions);
    }

    /** Characters of a cluster's or a group's name. */
    static final int NAME_MAX = 255;

    /** Ticks of the detector per heartbeat. */
    private static final int TICKS = 4;

    /** Addresses in one PEERS frame. */
    private static final int PEERS_MAX = 64;

    /** Reports in one heartbeat. A node that suspects more peers than this is itself the likely fault. */
    private static final int REPORTS_MAX = 32;

    /** Minimum retransmission timeout of TCP (Linux): shorter silence is no evidence of loss. */
    private static final long DELAY_NANOS = 200_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final NodeId self;
    private final Settings settings;
    private StackMaker stackMaker;
    private @Nullable MulticastPort multicast;
    private final SplittableRandom random;
    private final Runner runner;
    private final Memory memory;
    private final EffectQueue effects;
    private final Links links;
    private final Discovery discovery;
    private final Detector detector;
    private final Groups groups;
    private final Refused refused = new Refused();
    private final Namesakes namesakes;
    private final List<String> seeds;
    private final long heartbeatNanos;
    private final long patienceNanos;

    /** Nodes that have not announced their groups yet. */
    private final TreeSet<NodeId> untold = new TreeSet<>();

    /** Nodes that have got the addresses of all others. */
    private final TreeSet<NodeId> listed = new TreeSet<>();

    private long tickNanos = NEVER;
    private boolean isStopped;

    /**
     * @param settings with {@link NodeSettings}
     * @param seed of all randomness
     * @throws SettingException if settings contradict each other, or a seed is no address
     */
    public NodeMachine(NodeId self, Settings settings, long seed, Memory memory, NodeEvents events) {
        this(self, settings, seed, memory, events, GroupStack::layers);
    }

    NodeMachine(
            NodeId self,
            Settings settings,
            long seed,
            Memory memory,
            NodeEvents events,
            StackMaker stackMaker) {
        this.self = self;
        this.settings = settings;
        this.stackMaker = stackMaker;
        this.memory = memory;
        this.random = new SplittableRandom(seed);
        this.runner = new Runner(memory);
        this.effects = new EffectQueue(events);
        this.seeds = Seeds.addresses(settings.get(NodeSettings.SEEDS));
        this.heartbeatNanos = settings.get(NodeSettings.HEARTBEAT).toNanos();
        this.patienceNanos = settings.get(NodeSettings.PATIENCE).toNanos();
        long timeoutNanos = settings.get(NodeSettings.DETECTION_TIMEOUT).toNanos();
        if (timeoutNanos < 2 * heartbeatNanos) {
            throw new SettingException("detection.timeout: " + settings.text(NodeSettings.DETECTION_TIMEOUT)
                    + " is less than twice detection.heartbeat, " + settings.text(NodeSettings.HEARTBEAT));
        }
        String cluster = settings.get(TransportSettings.CLUSTER);
        if (cluster.length() > NAME_MAX) {
            throw new SettingException(
                    "cluster: the name has " + cluster.length() + " characters, at most " + NAME_MAX);
        }
        Links.Limits limits = new Links.Limits(
                settings.get(NodeSettings.RESEND_BUFFER).bytes(),
                settings.get(NodeSettings.HANDSHAKE_TIMEOUT).toNanos(),
                settings.get(NodeSettings.HANDSHAKES_MAX));
        this.links = new Links(self, cluster, limits, memory, effects, new LinkOwner());
        this.discovery = new Discovery(
                self.address(),
                new Discovery.Limits(
                        settings.get(NodeSettings.PAUSE_MAX).toNanos(),
                        patienceNanos,
                        settings.get(NodeSettings.FORGET_AFTER).toNanos(),
                        settings.get(NodeSettings.ADDRESSES_MAX),
                        settings.get(NodeSettings.DIALS_MAX)),
                random.split(),
                links::dial);
        this.detector = new Detector(self, heartbeatNanos, timeoutNanos, links::hasMet);
        this.namesakes = new Namesakes(self);
        this.groups = new Groups(self, links, effects, memory);
    }

    @Override
    public void useMulticast(Multicast toAll) {
        MulticastPort port = new MulticastPort(
                self, settings.get(TransportSettings.CLUSTER), toAll, links, memory, effects, heartbeatNanos);
        multicast = port;
        groups.useMulticast(port);
        stackMaker = (member, group, submissions) ->
                GroupStack.layers(member, group, submissions, port.receiveBufferBytes());
    }

    /** Sets the records for the votes of members of groups with a primary partition, before such a group is joined. */
    public void useStore(DurableStore store) {
        groups.useStore(store, new Answers());
    }

    /** Answers of the records, which are input like any other. */
    private final class Answers implements DurableStore.Client {

        @Override
        public void onLoaded(long nowNanos, int question, byte @Nullable [] record) {
            begin(nowNanos);
            groups.onLoaded(question, record);
        }

        @Override
        public void onStored(long nowNanos, int question) {
            begin(nowNanos);
            groups.onStored(question);
        }

        @Override
        public void onFailed(long nowNanos, int question, String detail) {
            begin(nowNanos);
            groups.onFailed(question, detail);
        }
    }

    // ------------------------------------------------------------------ inputs from the driver

    @Override
    public void onStart(long nowNanos) {
        begin(nowNanos);
        tickNanos = nowNanos + heartbeatNanos / TICKS;
        discovery.onStart(seeds, nowNanos);
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        begin(nowNanos);
        int connection = links.onAccepted(remote);
        if (isStopped) {
            links.stop();
        }
        return connection;
    }

    @Override
    public void onRejected(long nowNanos, String remote, String detail) {
        begin(nowNanos);
        refused.add(remote, detail, true, now());
        effects.event(new NodeEvents.Refused(remote, detail));
    }

    @Override
    public void onCredentials(long nowNanos, int connection, Credentials credentials) {
        begin(nowNanos);
        links.onCredentials(connection, credentials);
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        begin(nowNanos);
        links.onConnected(connection);
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        begin(nowNanos);
        links.onDialFailed(connection, failure, detail);
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        begin(nowNanos);
        links.onFrame(connection, frame);
    }

    @Override
    public void onMulticast(long nowNanos, Packet frame) {
        begin(nowNanos);
        MulticastPort port = multicast;
        Link link = port == null ? null : port.receive(frame, now());
        if (port == null) {
            frame.release();
        } else if (link != null) {
            if (frame.takeByte() == Frames.GROUP) {
                groups.onPacket(link, frame);
            } else {
                port.onMalformed();
                frame.release();
            }
        }
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        begin(nowNanos);
        links.onDisconnected(connection, isOrderly, detail);
    }

    @Override
    public void onTimer(long nowNanos) {
        begin(nowNanos);
        if (isStopped) {
            return;
        }
        links.onTimer();
        discovery.onTimer(now());
        if (tickNanos <= now()) {
            tick();
        }
        runner.expire();
    }

    @Override
    public boolean isProcessorOfInterest() {
        return groups.isOnWatch();
    }

    @Override
    public void onProcessor(long nowNanos, boolean isBusy) {
        begin(nowNanos);
        groups.onProcessor(isBusy);
    }

    @Override
    public long nextDeadline() {
        if (isStopped) {
            return NEVER;
        }
        long deadline = Math.min(tickNanos, runner.nextDeadline());
        deadline = Math.min(deadline, links.nextDeadline());
        deadline = Math.min(deadline, discovery.nextDeadline());
        return groups.isJoining() ? Math.min(deadline, groups.patienceEnd(patienceNanos)) : deadline;
    }

    @Override
    public void drain(Effects driver) {
        runner.runUntilQuiet();
        if (groups.isJoining()) {
            boolean isEverybodyAsked = untold.isEmpty() && discovery.isEverybodyAsked(now());
            groups.settleJoins(
                    isEverybodyAsked, patience -> discovery.isEverySeedKnown(patience, now()), patienceNanos, now());
        }
        effects.drain(driver);
    }

    @Override
    public long nowNanos() {
        return now();
    }

    private long now() {
        return runner.nowNanos();
    }

    private void begin(long nowNanos) {
        runner.beginTurn(nowNanos);
        links.beginTurn(now());
        if (tickNanos != NEVER && now() - tickNanos > heartbeatNanos / 2) {
            effects.event(new NodeEvents.Late(now() - tickNanos));
            detector.onLate(now());
            tickNanos = now();
        }
    }

    // ------------------------------------------------------------------ inputs from the application

    /**
     * Joins a group; the first view, of itself alone, follows at the end of the turn.
     *
     * @param settings with {@link GroupSettings}
     * @return the member that this node is in the group from now on
     * @throws IllegalStateException if the group is joined already, or the node was stopped
     * @throws SettingException if the settings contradict each other
     * @throws IllegalArgumentException if the name is empty or longer than 255 characters
     */
    public Member join(
            long nowNanos, String group, Settings settings, Application application, Submissions submissions) {
        if (isStopped) {
            throw new IllegalStateException("group '" + group + "' can't be joined: the node was stopped");
        }
        if (group.isEmpty() || group.length() > NAME_MAX) {
            throw new IllegalArgumentException(
                    "a group's name has 1 to " + NAME_MAX + " characters, not " + group.length());
        }
        GroupSettings.check(group, settings, this.settings);
        if (settings.get(GroupSettings.PARTITION) == GroupSettings.Partition.PRIMARY && !groups.hasRecords()) {
            throw new IllegalStateException("group '" + group + "' needs records, and the node was given none");
        }
        begin(nowNanos);
        Member member = groups.nextMember(group);
        GroupPort port = new GroupPort(
                member,
                group,
                settings,
                application,
                groups,
                stackMaker.layers(member, settings, submissions),
                runner,
                random.split());
        groups.join(port);
        return member;
    }

    /** Notes that messages were submitted to the group. */
    public void onSubmitted(long nowNanos, Member self) {
        begin(nowNanos);
        GroupPort port = groups.port(self.join());
        if (port != null) {
            port.submitted();
        }
    }

    /** Takes back a packet that was delivered to the application and consumed by it. */
    public void onConsumed(long nowNanos, Member self, Packet packet) {
        begin(nowNanos);
        GroupPort port = groups.port(self.join());
        if (port == null) {
            packet.release();
        } else {
            port.consume(packet);
        }
    }

    /** Finishes accepted messages, says goodbye, and calls {@link Application#onLeft}. */
    public void leave(long nowNanos, Member self) {
        begin(nowNanos);
        GroupPort port = groups.port(self.join());
        if (port != null) {
            port.leave();
        }
    }

    /**
     * Says goodbye to all nodes and ends all connections; the driver may be closed after the next drain. Groups that
     * were not left end here, with {@link Application#onLeft}. Idempotent; what comes afterwards is ignored.
     */
    public void stop(long nowNanos) {
        begin(nowNanos);
        if (isStopped) {
            return;
        }
        isStopped = true;
        tickNanos = NEVER;
        groups.stop();
        for (Link link : links.all()) {
            links.leave(link, "the node was stopped");
        }
        links.stop();
    }

    /**
     * Closes the session with a node, as a wrong verdict of the detector does. The next contact begins a new one. Of no
     * effect if there is none.
     */
    public void giveUp(long nowNanos, NodeId node, String reason) {
        begin(nowNanos);
        Link link = links.link(node);
        if (link != null) {
            links.close(link, false, reason);
        }
    }

    // ------------------------------------------------------------------ detection

    private void tick() {
        long now = now();
        tickNanos = now + heartbeatNanos / TICKS;
        for (Link link : links.open()) {
            detector.onHeard(link.node(), link.heardNanos());
            if (now - link.heardNanos() >= heartbeatNanos + Math.max(heartbeatNanos / 2, DELAY_NANOS)) {
                links.onSilent(link);
            }
        }
        List<Detector.Verdict> verdicts = detector.onTick(now);
        if (multicast != null) {
            multicast.onTick(now);
        }
        Detector.Observations observations = detector.observations();
        boolean isChanged = detector.takeChanged();
        for (Link link : links.open()) {
            boolean isIdle = now - link.sentNanos() >= heartbeatNanos;
            boolean isUnconfirmed =
                    link.isConfirmationDue() && now - link.confirmedNanos() >= heartbeatNanos;
            if (link.isConnected() && (isChanged || isIdle || isUnconfirmed)) {
                sendHeartbeat(link, observations);
            }
        }
        // All others hear of a verdict before its consequences.
        execute(verdicts);
    }

    private void execute(List<Detector.Verdict> verdicts) {
        for (Detector.Verdict verdict : verdicts) {
            Link link = links.link(verdict.node());
            if (link != null && link.isOpen()) {
                effects.event(new NodeEvents.Suspected(verdict.node(), verdict.reason()));
                links.close(link, false, verdict.reason());
            }
        }
    }

    private void sendHeartbeat(Link link, Detector.Observations observations) {
        int bytes = bytes(observations.silent())
                + bytes(observations.judged())
                + bytes(observations.gone())
                + bytes(observations.strangers());
        Packet heartbeat = links.heartbeat(link, bytes);
        append(heartbeat, observations.silent());
        append(heartbeat, observations.judged());
        append(heartbeat, observations.gone());
        append(heartbeat, observations.strangers());
        links.sendHeartbeat(link, heartbeat);
    }

    private static int bytes(Collection<NodeId> nodes) {
        return 4 + Math.min(nodes.size(), REPORTS_MAX) * NODE_BYTES_MAX;
    }

    /** Appends the first nodes, as many as one heartbeat takes. */
    private static void append(Packet heartbeat, Collection<NodeId> nodes) {
        heartbeat.appendInt(Math.min(nodes.size(), REPORTS_MAX));
        nodes.stream().limit(REPORTS_MAX).forEach(node -> Wire.append(heartbeat, node));
    }

    private static List<NodeId> takeNodes(Packet heartbeat) {
        int count = heartbeat.takeCount(16);
        if (count > REPORTS_MAX) {
            heartbeat.markMalformed();
            count = 0;
        }
        List<NodeId> nodes = new ArrayList<>(count);
        for (int index = 0; index < count && !heartbeat.isMalformed(); index++) {
            nodes.add(Wire.takeNode(heartbeat));
        }
        return nodes;
    }

    /** Largest identity of a node in bytes: its number, and two texts of characters of three bytes. */
    private static final int NODE_BYTES_MAX = 8 + 2 * (4 + 3 * NodeId.TEXT_MAX);

    // ------------------------------------------------------------------ links

    private final class LinkOwner implements Links.Owner {

        @Override
        public void onOpened(Link link, boolean isFirst) {
            NodeId node = link.node();
            effects.event(new NodeEvents.SessionOpened(node));
            untold.add(node);
            detector.onOpened(node, isFirst, now());
            namesakes.onOpened(node);
            if (multicast != null) {
                multicast.onOpened(link);
            }
            groups.onOpened(link);
            discovery.onOpened(node, now());
            sendPeers(link, List.of());
        }

        @Override
        public void onGone(Link link) {
            detector.onGone(link.node());
            // Sends a heartbeat at once: other nodes may not notice the crash themselves.
            tickNanos = now();
        }

        @Override
        public void onClosed(Link link, boolean isGraceful, String reason) {
            NodeId node = link.node();
            effects.event(new NodeEvents.SessionClosed(node, isGraceful, reason));
            untold.remove(node);
            listed.remove(node);
            detector.onClosed(node, now());
            namesakes.onClosed(node);
            if (multicast != null) {
                multicast.onClosed(link);
            }
            groups.onClosed(link, isGraceful, reason);
            discovery.onClosed(node, isGraceful, now());
        }

        @Override
        public void onFrame(Link link, int type, Packet frame) {
            switch (type) {
                case Frames.GROUP -> groups.onPacket(link, frame);
                case Frames.GROUP_JOINED, Frames.GROUP_MET, Frames.GROUP_LEFT -> {
                    groups.onAnnouncement(link, type, frame);
                    frame.release();
                }
                case Frames.MULTICAST_HEARD -> {
                    if (multicast != null) {
                        link.isReachedByMulticast = frame.takeBoolean() && !frame.isMalformed();
                        groups.onReach();
                    }
                    frame.release();
                }
                case Frames.PEERS -> {
                    onPeers(link, frame);
                    frame.release();
                }
                default -> links.unknown(frame);
            }
        }

        @Override
        public void onHeartbeat(Link link, Packet heartbeat) {
            Detector.Observations said = new Detector.Observations(
                    takeNodes(heartbeat), takeNodes(heartbeat), takeNodes(heartbeat), takeNodes(heartbeat));
            if (heartbeat.isMalformed()) {
                return;
            }
            NodeId watcher = link.node();
            List<NodeId> told = detector.onTold(watcher, said.gone(), now());
            execute(detector.onReports(watcher, said, now()));
            if (detector.isChanged()) {
                // A verdict may wait for this node's statement that it has never met the reported one.
                tickNanos = now();
            }
            for (NodeId node : told) {
                links.lookAfter(node, "its process is gone, says " + watcher.name());
            }
        }

        @Override
        public void onResumed(Link link) {
            effects.event(new NodeEvents.Resumed(link.node()));
        }

        @Override
        public void onRefused(String remote, Refusal refusal, String reason) {
            boolean isNode = refusal != Refusal.MALFORMED;
            if (!discovery.onOutcome(remote, isNode ? Outcome.REFUSED : Outcome.NO_NODE, reason) && refusal != Refusal.SUSPECTED) {
                refused.add(remote, reason, isNode, now());
            }
            // A dialled address is reported once, not with every attempt.
            if (discovery.isNews(remote, reason)) {
                effects.event(new NodeEvents.Refused(remote, reason));
            }
        }

        @Override
        public void onDialFailed(String address, DialFailure failure, String detail) {
            String problem =
                    switch (failure) {
                        case REFUSED, UNREACHABLE -> "";
                        case UNRESOLVED -> "the name has no address: " + detail;
                        case UNTRUSTED -> "no session came about: " + detail;
                    };
            discovery.onOutcome(address, outcome(failure), detail);
            if (!problem.isEmpty() && discovery.isNews(address, problem)) {
                effects.event(new NodeEvents.Unreachable(address, problem));
            }
        }

        @Override
        public void onNoHandshake(String address, String detail) {
            discovery.onOutcome(address, Outcome.NO_NODE, detail);
        }

        @Override
        public void onAnswered(String address, Links.Answer answer, @Nullable NodeId node) {
            switch (answer) {
                case CONNECTED -> {
                    if (node != null) {
                        Link link = links.link(node);
                        discovery.onFound(address, node, link != null && link.isOpen(), now());
                    }
                }
                case SELF -> discovery.onSelf(address, now());
                case AGAIN -> discovery.onAgain(address, node, now());
                case SUSPECTED -> discovery.onPostponed(address, now());
                case FAILED -> discovery.onFailed(address, false, now());
                case REFUSED -> discovery.onFailed(address, true, now());
            }
        }

        @Override
        public @Nullable String objection(NodeId node) {
            detector.onContact(node);
            return isStopped ? "the node was stopped" : detector.objection(node);
        }
    }

    private static Outcome outcome(DialFailure failure) {
        return switch (failure) {
            case REFUSED -> Outcome.NOBODY;
            case UNREACHABLE -> Outcome.SILENT;
            case UNRESOLVED -> Outcome.UNRESOLVED;
            case UNTRUSTED -> Outcome.UNTRUSTED;
        };
    }

    /** Sends the addresses of all others, so that all nodes get to know each other. */
    private void list(Link receiver) {
        List<String> addresses = new ArrayList<>();
        for (Link link : links.all()) {
            if (link.isOpen() && link != receiver) {
                addresses.add(link.node().address());
            }
        }
        for (int from = 0; from < addresses.size(); from += PEERS_MAX) {
            sendPeers(receiver, addresses.subList(from, Math.min(addresses.size(), from + PEERS_MAX)));
        }
    }

    /** Sends addresses. The first such frame also marks the end of the announcements of groups. */
    private void sendPeers(Link receiver, List<String> addresses) {
        Packet frame = Frames.create(memory, Frames.PEERS, 12 + addresses.size() * (4 + 3 * NodeId.TEXT_MAX))
                .appendLong(discovery.digest())
                .appendInt(addresses.size());
        addresses.forEach(frame::appendText);
        links.send(receiver, frame);
    }

    private void onPeers(Link link, Packet frame) {
        untold.remove(link.node());
        long digest = frame.takeLong();
        int count = frame.takeCount(4);
        if (count > PEERS_MAX) {
            frame.markMalformed();
        }
        for (int index = 0; index < count && !frame.isMalformed(); index++) {
            discovery.onLearned(frame.takeText(3 * NodeId.TEXT_MAX), link.node(), now());
        }
        if (!frame.isMalformed() && digest != discovery.digest() && listed.add(link.node())) {
            list(link);
        }
    }

    // ------------------------------------------------------------------ report

    /**
     * Returns everything that keeps this node from meeting others now. Soon after its start, and during a change, some
     * troubles are normal: only lasting ones matter.
     */
    public List<Trouble> troubles() {
        if (isStopped) {
            return List.of();
        }
        boolean isAlone = !links.open().iterator().hasNext();
        List<Trouble> troubles = new ArrayList<>();
        Trouble.ofAddresses(self, isAlone, discovery.unmet(), troubles);
        refused.report(now(), troubles);
        groups.mismatches(troubles);
        namesakes.report(troubles);
        return troubles.subList(0, Math.min(troubles.size(), TROUBLES_MAX));
    }

    private static final int TROUBLES_MAX = 32;

    /** Writes state and counters: sections {@code node}, {@code links}, {@code detection}, {@code discovery}, {@code groups}. */
    public void report(Report report) {
        Report node = report.section("node");
        node.put("name", self.name());
        node.put("address", self.address());
        node.put("incarnation", self.incarnation());
        node.put("cluster", settings.get(TransportSettings.CLUSTER));
        node.put("state", isStopped ? "stopped" : "running");
        links.report(report.section("links"));
        if (multicast != null) {
            multicast.report(report.section("multicast"));
        }
        detector.report(report.section("detection"));
        discovery.report(report.section("discovery"));
        groups.report(report.section("groups"));
    }
}
