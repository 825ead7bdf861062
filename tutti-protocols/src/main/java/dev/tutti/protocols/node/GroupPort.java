package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.Wire;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Runner;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Stack;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Links;
import dev.tutti.protocols.membership.Membership;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Group on this node: connects its stack with the network below and the application above. */
final class GroupPort implements Stack.Network {

    private static final RemoteMember[] NOBODY = {};

    /**
     * Number of times that a control message names a member: a cut does in the view, among the senders of the previous
     * view, and as sender and holder of missing packets. The numbers in between take as much as another short name.
     */
    private static final int MENTIONS_MAX = 5;

    private final Member self;
    private final String group;
    private final StackFingerprint fingerprint;

    /** Announcement of this member as encoded for sessions of each version, from 1. */
    private final byte[][] announcements;

    private final Application application;
    private final Groups groups;
    private final Links links;
    private final EffectQueue effects;
    private final Stack stack;
    private final boolean isOnWatch;
    private final long joinedNanos;
    private final long patienceNanos;

    private final LinkedHashMap<Member, RemoteMember> open = new LinkedHashMap<>();

    /** Bytes that the members of {@link #open} take in a message. */
    private long bytes;

    private @Nullable View view;
    private RemoteMember[] others = NOBODY;

    /** Members of {@link #others} that are not reached by multicast; all, unless at least two are. */
    private RemoteMember[] unreached = NOBODY;

    private final Runner runner;
    private int absent;
    private boolean isLeft;
    private boolean isJoinTold;
    private long sentPackets;
    private long receivedPackets;
    private long noSession;

    /** Group as a member joins it. */
    record Setup(String group, Settings settings, StackFingerprint fingerprint) {}

    GroupPort(
            Member self,
            Setup setup,
            Application application,
            Groups groups,
            List<Layer> layers,
            Runner runner,
            SplittableRandom random) {
        this.self = self;
        Settings settings = setup.settings();
        this.group = setup.group();
        this.fingerprint = setup.fingerprint();
        this.isOnWatch = settings.get(GroupSettings.DISSEMINATION) == GroupSettings.Dissemination.AUTO;
        this.announcements = announcements(
                new GroupAnnouncement(group, groups.version(), fingerprint, GroupSettings.messageBytesMax(settings)));
        this.application = application;
        this.groups = groups;
        this.links = groups.links();
        this.effects = groups.effects();
        this.runner = runner;
        this.joinedNanos = runner.nowNanos();
        this.patienceNanos = settings.get(GroupSettings.JOIN_PATIENCE).toNanos();
        this.stack = new Stack(runner, layers, this, new Top(), random);
        // Nothing was submitted: the signal makes the stack part of this turn, which installs its first view.
        stack.signalFromApplication(new Signal.Flow.Submitted());
    }

    private static byte[][] announcements(GroupAnnouncement announced) {
        byte[][] encoded = new byte[announced.version()][];
        for (int index = 0; index < encoded.length; index++) {
            encoded[index] = announced.encode(index + 1);
        }
        return encoded;
    }

    /** Returns this member's announcement as encoded in GROUP_JOINED, the same for all sessions of a version. */
    byte[] announcement(int version) {
        return announcements[version - 1];
    }

    Member self() {
        return self;
    }

    String group() {
        return group;
    }

    StackFingerprint fingerprint() {
        return fingerprint;
    }

    /** Returns whether the group depends on the load of the CPU. */
    boolean isOnWatch() {
        return isOnWatch;
    }

    long joinedNanos() {
        return joinedNanos;
    }

    /** Returns the time that a join allows each seed to answer; 0 if the node's patience applies. */
    long patienceNanos() {
        return patienceNanos;
    }

    boolean isJoinTold() {
        return isJoinTold;
    }

    boolean isInView(Member member) {
        return view != null && view.contains(member);
    }

    /** Returns whether this member is alone in the view. */
    boolean isAlone() {
        return view == null || view.size() == 1;
    }

    /** Returns whether the largest control message could name all members with one more. */
    boolean hasRoomFor(Member member) {
        return (bytes + Wire.bytesMax(self) + Wire.bytesMax(member)) * MENTIONS_MAX <= Membership.CONTROL_BYTES_MAX;
    }

    // ------------------------------------------------------------------ from the node

    void receive(RemoteMember sender, Packet packet) {
        receivedPackets++;
        stack.receive(packet.withPeer(sender.member));
    }

    void opened(RemoteMember member) {
        member.port = this;
        open.put(member.member, member);
        bytes += Wire.bytesMax(member.member);
        findOthers();
        stack.signalFromNetwork(new Signal.Peer.MessageLimit(member.member, member.announced.messageBytesMax()));
        stack.signalFromNetwork(new Signal.Peer.Opened(member.member, member.announced.version()));
    }

    void closed(RemoteMember member, boolean isGraceful, String reason) {
        member.port = null;
        open.remove(member.member);
        bytes -= Wire.bytesMax(member.member);
        findOthers();
        stack.signalFromNetwork(new Signal.Peer.Closed(member.member, isGraceful, reason));
    }

    /** Signals whether the CPU is busy. */
    void processor(boolean isBusy) {
        stack.signalFromNetwork(new Signal.Flow.Processor(isBusy));
    }

    /** Takes an answer from the node's records. */
    void answered(Signal answer) {
        if (!isLeft) {
            stack.signalFromNetwork(answer);
        }
    }

    void submitted() {
        stack.signalFromApplication(new Signal.Flow.Submitted());
    }

    void consume(Packet packet) {
        stack.consume(packet);
    }

    void leave() {
        stack.signalFromApplication(new Signal.Departure.Leave());
    }

    void tellJoined() {
        isJoinTold = true;
        effects.joined(application);
    }

    /** Ends the membership: nothing goes in or out any more. */
    void left(String reason) {
        if (isLeft) {
            return;
        }
        isLeft = true;
        for (RemoteMember member : open.values()) {
            member.port = null;
        }
        open.clear();
        others = NOBODY;
        unreached = NOBODY;
        stack.stop();
        groups.left(this);
        effects.left(application, reason);
    }

    // ------------------------------------------------------------------ below the stack

    @Override
    public void send(Packet packet) {
        if (isLeft) {
            packet.release();
            return;
        }
        Member receiver = packet.peer();
        packet.prependInt(self.join()).prependByte(Frames.GROUP);
        if (receiver != null) {
            RemoteMember remote = open.get(receiver);
            if (remote == null) {
                noSession++;
                packet.release();
            } else {
                sentPackets++;
                links.send(remote.link, packet);
            }
            return;
        }
        MulticastPort multicast = groups.multicast();
        boolean isMulticast = multicast != null
                && packet.isExpendable()
                && unreached.length < others.length
                && multicast.fits(packet);
        // All links get the same bytes. A link that fails meanwhile changes the field, not this array.
        RemoteMember[] receivers = isMulticast ? unreached : others;
        noSession += absent;
        sentPackets += others.length;
        for (RemoteMember remote : receivers) {
            links.send(remote.link, packet.slice());
        }
        if (isMulticast && multicast != null) {
            multicast.send(packet, runner.nowNanos());
        } else {
            packet.release();
        }
    }

    void findOthers() {
        View installed = view;
        if (installed == null) {
            return;
        }
        RemoteMember[] found = new RemoteMember[installed.size()];
        int count = 0;
        absent = 0;
        for (Member member : installed.members()) {
            RemoteMember remote = open.get(member);
            if (remote != null) {
                found[count++] = remote;
            } else if (!member.equals(self)) {
                absent++;
            }
        }
        others = new RemoteMember[count];
        System.arraycopy(found, 0, others, 0, count);
        findUnreached();
    }

    /** Finds the members to send to by connection, for faster repairs also a single one that multicast reaches. */
    private void findUnreached() {
        int reached = 0;
        for (RemoteMember remote : others) {
            reached += remote.link.multicast.isReached ? 1 : 0;
        }
        if (reached < 2) {
            unreached = others;
            return;
        }
        unreached = new RemoteMember[others.length - reached];
        int index = 0;
        for (RemoteMember remote : others) {
            if (!remote.link.multicast.isReached) {
                unreached[index++] = remote;
            }
        }
    }

    @Override
    public void onSignal(Signal signal) {
        switch (signal) {
            case Signal.ViewChange.Installed(View installed, int version, boolean isSteady) -> {
                view = installed;
                findOthers();
            }
            case Signal.Primary.Load() -> groups.load(this);
            case Signal.Primary.Store(long number, Packet record) -> groups.store(this, number, record);
            case Signal.Departure.Failed(String reason) -> left(reason);
            case Signal.Departure.Left(String reason) -> left(reason);
            case Signal.Peer.Expel(Member member, String reason) -> {
                RemoteMember remote = open.get(member);
                if (remote != null) {
                    links.close(remote.link, false, "expelled from group " + group + ": " + reason);
                }
            }
            case Signal.Peer.Distrusted(Member member, String reason) ->
                effects.event(new NodeEvents.Distrusted(group, member.node(), reason));
            default -> {
                // Signals between layers end here.
            }
        }
    }

    // ------------------------------------------------------------------ above the stack

    private final class Top implements Stack.Top {

        @Override
        public void deliver(Packet packet) {
            if (isLeft) {
                packet.release();
            } else {
                effects.packet(application, packet);
            }
        }

        @Override
        public void onSignal(Signal signal) {
            if (isLeft) {
                return;
            }
            switch (signal) {
                case Signal.ViewChange.Installed(View installed, int version, boolean isSteady) -> effects.view(application, installed);
                case Signal.Ordering.Transition() -> effects.transition(application);
                case Signal.Primary.Suspended(String reason) -> effects.suspended(application, reason);
                case Signal.Receipts.Known known -> effects.known(application, known);
                default -> {
                    // Signals between layers end here.
                }
            }
        }
    }

    void report(Report report) {
        report.put("join", self.join());
        report.put("members", view == null ? 0 : view.size());
        report.put("sent-packets", sentPackets);
        report.put("received-packets", receivedPackets);
        report.put("dropped-" + DropReason.NO_SESSION.name().toLowerCase(Locale.ROOT).replace('_', '-'), noSession);
        stack.report(report);
    }
}
