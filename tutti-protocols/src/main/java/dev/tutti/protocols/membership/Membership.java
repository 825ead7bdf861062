package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Agrees on views: join, leave, crash, coordinator crash and merge are one operation, a ballot among the members that a
 * coordinator can hear.
 *
 * <p>Implements the model-checked protocol of {@code docs/design/membership.md}, whose rule numbers stand in brackets
 * here. The layer above knows what was received, and fetches missing packets; it is asked by {@link Signal.ViewChange.Freeze} and
 * {@link Signal.ViewChange.Flush}. Control messages need no repetition: a session delivers them or is lost, and a lost session
 * restarts the ballot.
 */
public final class Membership implements Layer {

    /**
     * Time-outs of the protocol, in nanoseconds.
     *
     * @param holdBackNanos timer F: wait for a member that follows one that the coordinator does not hear
     * @param mergeDelayNanos timer J: longest time to collect other parts before merging
     * @param ballotTimeoutNanos timer R: time without an answer after which a ballot expels the members it waits for
     */
    public record Timing(long holdBackNanos, long mergeDelayNanos, long ballotTimeoutNanos) {}

    /** Largest control message. It bounds a group to some 6,000 members with names and addresses of 20 characters. */
    public static final int CONTROL_BYTES_MAX = Assembly.BYTES_MAX;

    /** Bytes of all control messages that are coming in pieces. A member that sends more loses its session. */
    static final long ASSEMBLIES_BYTES_MAX = 16L * Assembly.BYTES_MAX;

    private final Member self;
    private final Members known = new Members();
    private final Peers peers;
    private final Authority authority;
    private final Trust trust;
    private final Advertiser advertiser;
    private final Proposer proposer;

    /** Rules of the primary partition; null where each side of a partition goes on. */
    private final @Nullable PrimaryPartition primary;

    private final ViewChange viewChange;
    private boolean hasStarted;

    /** Something has changed since the end of the last turn. */
    private boolean isDirty = true;

    /** @param version highest version of the group's packets that this member speaks */
    public Membership(Member self, int version, Timing timing) {
        this(self, version, timing, null);
    }

    private Membership(Member self, int version, Timing timing, @Nullable PrimaryChain chain) {
        this.self = self;
        known.add(self);
        this.peers = new Peers(self, version, View.alone(self));
        this.authority = new Authority(self, known, peers);
        this.advertiser = new Advertiser(self, peers);
        this.trust = new Trust(timing);
        this.primary = chain == null ? null : new PrimaryPartition(self, peers, known, chain);
        this.proposer = new Proposer(self, timing, known, peers, authority, trust, primary);
        this.viewChange = new ViewChange(self, known, peers, authority, advertiser, proposer, primary);
    }

    /**
     * Creates the layer for a group in which only a majority of the last view goes on.
     *
     * @param version highest version of the group's packets that this member speaks
     * @param founders names of the nodes of which a majority makes the first primary view
     * @param leaveTimeoutNanos time for which a leaving member waits until no majority needs it any more
     */
    public static Membership primary(
            Member self, int version, Timing timing, List<String> founders, long leaveTimeoutNanos) {
        return new Membership(self, version, timing, new PrimaryChain(self, founders, leaveTimeoutNanos));
    }

    // ------------------------------------------------------------------ inputs

    @Override
    public void onSend(Packet packet, Outbox out) {
        out.send(packet.prependByte(MembershipMessage.DATA));
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        Member from = packet.peer();
        int kind = packet.takeByte();
        if (packet.isMalformed() || from == null) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (kind == MembershipMessage.DATA) {
            out.deliver(packet);
            return;
        }
        Peer peer = peers.get(from);
        if (peer == null) {
            out.drop(packet, DropReason.NO_SESSION);
            return;
        }
        DropReason problem = kind == MembershipMessage.PIECE ? onPiece(peer, packet, out) : onMessage(kind, peer, packet, out);
        if (problem == null && kind != MembershipMessage.ADVERT && kind != MembershipMessage.WHO) {
            trust.onProgress(from, out);
        }
        if (problem != null) {
            out.drop(packet, problem);
        } else {
            packet.release();
        }
        isDirty = true;
    }

    private @Nullable DropReason onMessage(int kind, Peer from, Packet packet, Outbox out) {
        DropReason objection = authority.objection(kind, from.member, packet);
        if (objection != null) {
            return packet.isMalformed() ? DropReason.MALFORMED : objection;
        }
        return switch (kind) {
            case MembershipMessage.ADVERT -> onAdvert(from, packet);
            case MembershipMessage.WHO -> onWho(from.member);
            default -> viewChange.onMessage(kind, from, packet, out);
        };
    }

    /** Takes a piece of a message that did not fit into a frame. If the message is dropped, its last piece counts. */
    private @Nullable DropReason onPiece(Peer from, Packet piece, Outbox out) {
        boolean isLast = piece.takeBoolean();
        if (piece.isMalformed()) {
            return DropReason.MALFORMED;
        }
        Assembly assembly = from.assembly == null ? new Assembly() : from.assembly;
        from.assembly = isLast ? null : assembly;
        if (!assembly.add(piece)) {
            from.assembly = null;
            out.lower(new Signal.Peer.Expel(from.member, "it has sent a control message of more than " + Assembly.BYTES_MAX
                    + " bytes"));
            return DropReason.MALFORMED;
        }
        if (!isLast && peers.assemblyBytes() > ASSEMBLIES_BYTES_MAX) {
            from.assembly = null;
            out.lower(new Signal.Peer.Expel(from.member, "control messages of more than " + ASSEMBLIES_BYTES_MAX
                    + " bytes are coming in pieces from all"));
            return DropReason.HELD_FULL;
        }
        if (!isLast) {
            return null;
        }
        Packet message = assembly.message();
        return onMessage(message.takeByte(), from, message, out);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.Peer.Opened(Member member, int version) -> {
                start(out);
                known.add(member);
                peers.open(member, version);
                advertiser.onOpened(member);
                viewChange.onOpened(member, out);
                proposer.onGrowth();
                isDirty = true;
                out.forward(signal);
            }
            case Signal.Peer.Closed(Member member, boolean isGraceful, String reason) -> {
                start(out);
                if (peers.close(member) != null) {
                    advertiser.onClosed(member);
                    authority.onClosed(member);
                    trust.onClosed(member, out);
                    viewChange.onClosed(member, isGraceful);
                    isDirty = true;
                    out.forward(signal);
                }
            }
            case Signal.ViewChange.Frozen(ViewId id, TreeMap<Member, Long> received) -> {
                viewChange.onFrozen(id, received, out);
                isDirty = true;
            }
            case Signal.ViewChange.Flushed(ViewId id) -> {
                viewChange.onFlushed(id, out);
                isDirty = true;
            }
            case Signal.Peer.Expel(Member member, String reason) -> {
                trust.leaveOut(member, reason, out);
                out.forward(signal);
            }
            case Signal.Departure.Leave() when primary == null -> out.lower(new Signal.Departure.Left("left"));
            case Signal.Departure.Leave() -> primary.leave(out);
            case Signal.Primary.Loaded(Packet record) when primary != null -> viewChange.onLoaded(record, out);
            case Signal.Primary.Stored(long number) when primary != null -> {
                viewChange.onStored(number, out);
                isDirty = true;
            }
            default -> out.forward(signal);
        }
    }

    @Override
    public List<? extends Timer> timers() {
        return List.of(MembershipTimer.values());
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        MembershipTimer own = (MembershipTimer) timer;
        switch (own) {
            case LEAVE -> {
                if (primary != null) {
                    primary.onLeaveTimeout(out);
                }
            }
            case PATIENCE -> trust.passOver(out);
            case RETURN -> {
                // The members that were left out are considered again at the end of the turn.
            }
            case HOLD_BACK, GATHER, BACK_OFF, PROGRESS, DISAGREEMENT -> proposer.onTimer(own, out);
        }
        if (own != MembershipTimer.GATHER) {
            proposer.hurry();
        }
        isDirty = true;
    }

    @Override
    public void onTurnEnd(Outbox out) {
        start(out);
        if (viewChange.takeNews()) {
            proposer.hurry();
            isDirty = true;
        }
        if (!isDirty || !viewChange.isReady()) {
            return;
        }
        trust.apply(peers, out);
        viewChange.noticeViewStable(out);
        isDirty = viewChange.considerBallot(out);
        viewChange.advertise(out);
        await(out);
    }

    /** Installs the first view with the first turn. */
    private void start(Outbox out) {
        if (!hasStarted) {
            hasStarted = true;
            viewChange.start(out);
        }
    }

    // ------------------------------------------------------------------ messages

    private @Nullable DropReason onAdvert(Peer peer, Packet packet) {
        Advert advert = Advert.takeFrom(packet, known);
        Advert.Detail detail = Advert.takeDetail(packet, known);
        DropReason objection = packet.isMalformed() ? DropReason.MALFORMED : authority.objection(peer.member, advert, viewChange.number());
        if (objection != null) {
            return objection;
        }
        boolean wasFollower = peer.follows(self);
        boolean hadLost = !peer.lost.isEmpty();
        boolean hasTurned = peer.hasSpoken && !peer.follows.equals(advert.follows());
        peers.said(peer, advert);
        boolean isFollower = peer.follows(self);
        boolean isTold =
                switch (detail) {
                    case Advert.Nothing() -> true;
                    case Advert.Heard(List<Member> heard, List<Member> nowLost) -> {
                        peer.lost = new TreeSet<>(nowLost);
                        yield peers.hears(peer, heard);
                    }
                    case Advert.Changes(List<Member> opened, List<Member> gone, List<Member> nowLost) -> {
                        peer.lost = new TreeSet<>(nowLost);
                        if (!gone.isEmpty()) {
                            proposer.hurry();
                        }
                        yield peers.hearsLess(peer, gone) && peers.hearsMore(peer, opened);
                    }
                    case Advert.Listed(List<Member> members) -> {
                        peers.list(advert.view(), members);
                        advertiser.onListed(peer.member);
                        yield true;
                    }
                };
        if (!isFollower) {
            peer.forgetHearing();
        }
        advertiser.onAdvert(peer, hasTurned);
        proposer.onGrowth();
        // A new follower can wait; one that leaves, has lost another member or has promised another ballot can't.
        boolean hasPromised = isFollower && peers.isInView(peer.member) && !peer.promised.equals(viewChange.view().id());
        if (wasFollower && !isFollower || hadLost || !peer.lost.isEmpty() || hasPromised) {
            proposer.hurry();
        }
        return isTold || !isFollower ? null : DropReason.MALFORMED;
    }

    private @Nullable DropReason onWho(Member asker) {
        advertiser.onAsked(asker);
        return null;
    }

    /** Waits for the coordinator, within a bound, while there is work that only it can do. */
    private void await(Outbox out) {
        Member follows = peers.follows();
        if (!viewChange.needs(follows)) {
            trust.end(out);
        } else if (follows.equals(self)) {
            trust.pause(out);
        } else {
            trust.await(follows, out);
        }
    }

    @Override
    public void report(Report report) {
        Report section = report.section("membership");
        viewChange.report(section);
        trust.report(section);
        if (primary != null) {
            primary.report(section);
        }
    }
}
