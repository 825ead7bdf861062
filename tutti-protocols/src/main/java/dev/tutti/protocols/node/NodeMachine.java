package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Runner;
import dev.tutti.protocols.added.AddedLayers;
import dev.tutti.protocols.datagram.HostedMachine;
import dev.tutti.protocols.datagram.Multicast;
import dev.tutti.protocols.detection.Detector;
import dev.tutti.protocols.discovery.Discovery;
import dev.tutti.protocols.link.DialAnswer;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.LinkOwner;
import dev.tutti.protocols.link.Links;
import dev.tutti.protocols.link.Refusal;
import dev.tutti.protocols.link.Versions;
import dev.tutti.protocols.packing.Submissions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
        List<Layer> layers(Member self, Settings settings, Submissions submissions, int addedBytes);
    }

    /** Characters of a cluster's or a group's name. */
    static final int NAME_MAX = 255;

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
    private final NodeAdmission admission;
    private final Discovery discovery;
    private final Detector detector;
    private final Groups groups;
    private final Heartbeats heartbeats;
    private final PeerExchange peers;
    private final DialOutcomes dials;
    private final Namesakes namesakes;
    private final List<String> seeds;
    private final long patienceNanos;

    private boolean isStopped;

    /**
     * @param settings with {@link NodeSettings}
     * @param seed of all randomness
     * @throws SettingException if settings contradict each other, or a seed is no address
     */
    public NodeMachine(NodeId self, Settings settings, long seed, Memory memory, NodeEvents events) {
        this(self, settings, Versions.SPOKEN.max(), seed, memory, events);
    }

    /**
     * Creates a node that behaves as one of an earlier version, for tests of mixed clusters.
     *
     * @param version highest version of the protocol that it speaks
     * @see #NodeMachine(NodeId, Settings, long, Memory, NodeEvents)
     */
    public NodeMachine(NodeId self, Settings settings, int version, long seed, Memory memory, NodeEvents events) {
        this(
                self, settings, Versions.upTo(version), seed, memory, events,
                (member, group, submissions, addedBytes) -> GroupStack.layers(member, version, group, submissions, addedBytes, 0));
    }

    NodeMachine(
            NodeId self,
            Settings settings,
            Versions versions,
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
        this.seeds = NodeSettings.seeds(settings);
        this.patienceNanos = settings.get(NodeSettings.PATIENCE).toNanos();
        long heartbeatNanos = settings.get(NodeSettings.HEARTBEAT).toNanos();
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
        this.links = new Links(self, cluster, versions, limits, memory, effects, new Owner());
        this.admission = new NodeAdmission(links, effects, this::begin);
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
        this.groups = new Groups(self, versions.max(), links, effects, memory);
        this.heartbeats = new Heartbeats(links, detector, effects, heartbeatNanos);
        this.peers = new PeerExchange(links, discovery, memory);
        this.dials = new DialOutcomes(links, discovery, effects);
    }

    @Override
    public void useMulticast(Multicast toAll) {
        MulticastPort port = new MulticastPort(
                self, settings.get(TransportSettings.CLUSTER), toAll, links, memory, effects, heartbeats.intervalNanos());
        multicast = port;
        groups.useMulticast(port);
        stackMaker = (member, group, submissions, addedBytes) ->
                GroupStack.layers(member, groups.version(), group, submissions, addedBytes, port.receiveBufferBytes());
    }

    /** Sets the records for the votes of members of groups with a primary partition, before such a group is joined. */
    public void useStore(DurableStore store) {
        groups.useStore(store, new StoreAnswers(groups, this::begin));
    }

    /** Returns the part that decides which other nodes may come in. */
    public NodeAdmission admission() {
        return admission;
    }

    /** Names the sources of addresses whose first lists joins wait for. Before the start. */
    public void expectSources(List<String> sources) {
        discovery.expect(sources);
    }

    /**
     * Takes the addresses that a source lists.
     *
     * @param source name of the source
     * @return addresses of the list that lead to no node of this cluster, and have not for some time
     */
    public List<String> onListed(long nowNanos, String source, List<String> addresses) {
        begin(nowNanos);
        return discovery.onListed(source, addresses, now());
    }

    /** Returns the number of nodes with which there is a session. */
    public int met() {
        return discovery.met();
    }

    // ------------------------------------------------------------------ inputs from the driver

    @Override
    public void onStart(long nowNanos) {
        begin(nowNanos);
        heartbeats.onStart(nowNanos);
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
        dials.onRejected(remote, detail, now());
    }

    @Override
    public void onCredentials(long nowNanos, int connection, Credentials credentials) {
        begin(nowNanos);
        links.onCredentials(connection, credentials);
    }

    @Override
    public void onRelayed(long nowNanos, int connection, String server) {
        begin(nowNanos);
        links.onRelayed(connection, server);
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
    public boolean onMulticast(long nowNanos, Packet frame) {
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
        return port == null || !port.isFromStranger();
    }

    @Override
    public void onStranger(long nowNanos, String address) {
        begin(nowNanos);
        discovery.onHeard(address, now());
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
        heartbeats.onTimer(now(), multicast);
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
        long deadline = Math.min(heartbeats.nextDeadline(), runner.nextDeadline());
        deadline = Math.min(deadline, links.nextDeadline());
        deadline = Math.min(deadline, discovery.nextDeadline());
        return groups.isJoining() ? Math.min(deadline, groups.patienceEnd(patienceNanos)) : deadline;
    }

    @Override
    public void drain(Effects driver) {
        runner.runUntilQuiet();
        if (groups.isJoining()) {
            boolean isEverybodyAsked = peers.isEverybodyHeard() && discovery.isEverybodyAsked(now());
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
        heartbeats.onTurn(now());
    }

    // ------------------------------------------------------------------ inputs from the application

    /** Joins a group without layers of the user's own. */
    public Member join(
            long nowNanos, String group, Settings settings, Application application, Submissions submissions) {
        return join(nowNanos, group, settings, List.of(), application, submissions);
    }

    /**
     * Joins a group; the first view, of itself alone, follows at the end of the turn.
     *
     * @param settings with {@link GroupSettings}
     * @param added layers of the user's own
     * @return the member that this node is in the group from now on
     * @throws IllegalStateException if the group is joined already, or the node was stopped
     * @throws SettingException if the settings contradict each other
     * @throws IllegalArgumentException if the name is empty or longer than 255 characters
     */
    public Member join(
            long nowNanos,
            String group,
            Settings settings,
            List<LayerProvider> added,
            Application application,
            Submissions submissions) {
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
        AddedLayers placed = AddedLayers.place(group, settings, GroupStack.guarantees(settings), added);
        begin(nowNanos);
        Member member = groups.nextMember(group);
        List<Layer> layers = placed.insert(
                stackMaker.layers(member, settings, submissions, placed.countedBytes()),
                new LayerContext(group, member, settings));
        GroupPort port = new GroupPort(
                member,
                new GroupPort.Setup(group, settings, StackFingerprint.of(settings, placed.inCommon())),
                application,
                groups,
                layers,
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
        heartbeats.stop();
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

    // ------------------------------------------------------------------ links

    private final class Owner implements LinkOwner {

        @Override
        public void onOpened(Link link, boolean isFirst) {
            NodeId node = link.node();
            effects.event(new NodeEvents.SessionOpened(node));
            peers.onOpened(node);
            detector.onOpened(node, isFirst, now());
            namesakes.onOpened(node);
            if (multicast != null) {
                multicast.onOpened(link);
            }
            groups.onOpened(link);
            discovery.onOpened(node, now());
            peers.onGroupsAnnounced(link);
        }

        @Override
        public void onGone(Link link) {
            detector.onGone(link.node());
            // Other nodes may not notice the crash themselves.
            heartbeats.hurry(now());
        }

        @Override
        public void onClosed(Link link, boolean isGraceful, String reason) {
            NodeId node = link.node();
            effects.event(new NodeEvents.SessionClosed(node, isGraceful, reason));
            peers.onClosed(node);
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
                        link.multicast.isReached = frame.takeBoolean() && !frame.isMalformed();
                        groups.onReach();
                    }
                    frame.release();
                }
                case Frames.MULTICAST_KEY, Frames.MULTICAST_KEY_TAKEN -> {
                    if (multicast != null) {
                        multicast.onKeyFrame(link, type, frame);
                    }
                    frame.release();
                }
                case Frames.PEERS -> {
                    peers.onPeers(link, frame, now());
                    frame.release();
                }
                default -> links.unknown(frame);
            }
        }

        @Override
        public void onHeartbeat(Link link, Packet heartbeat) {
            for (NodeId node : heartbeats.onHeartbeat(link, heartbeat, now())) {
                links.lookAfter(node, "its process is gone, says " + link.node().name());
            }
        }

        @Override
        public void onResumed(Link link) {
            effects.event(new NodeEvents.Resumed(link.node()));
        }

        @Override
        public void onRefused(String remote, Refusal refusal, String reason) {
            dials.onRefused(remote, refusal, reason, now());
        }

        @Override
        public void onDialFailed(String address, DialFailure failure, String detail) {
            dials.onFailed(address, failure, detail);
        }

        @Override
        public void onNoHandshake(String address, String detail) {
            dials.onNoHandshake(address, detail);
        }

        @Override
        public void onAnswered(String address, DialAnswer answer, @Nullable NodeId node) {
            dials.onAnswered(address, answer, node, now());
        }

        @Override
        public @Nullable String objection(NodeId node) {
            detector.onContact(node);
            return isStopped ? "the node was stopped" : detector.objection(node);
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
        dials.report(now(), troubles);
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
