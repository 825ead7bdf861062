package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Agrees on views: join, leave, crash, coordinator crash and merge are one operation, a ballot among the members that a
 * coordinator can hear.
 *
 * <p>Implements the model-checked protocol of {@code docs/design/membership.md}, whose rule numbers stand in brackets
 * here. The layer above knows what was received, and fetches missing packets; it is asked by {@link Signal.Freeze} and
 * {@link Signal.Flush}. Control messages need no repetition: a session delivers them or is lost, and a lost session
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

    private static final int PROGRESS = 3;
    static final int LEAVE = 5;

    /** Consecutive refusals of one member that count as no answer. Two coordinators agree after fewer. */
    private static final int REFUSALS_MAX = 8;

    private final Member self;
    private final Timing timing;
    private final Members known = new Members();

    private final Peers peers;
    private final Authority authority;

    private final Trust trust;
    private View view;
    private ViewId promised;
    private @Nullable View target;

    /** By rank in {@link #target}, the view since which each of its members has been with others. */
    private long[] targetSince = new long[0];

    private long joined = Advert.NOT_YET;
    private final TreeSet<Member> closed = new TreeSet<>();
    private TreeSet<Member> lost = new TreeSet<>();

    private boolean hasFollowed = true;
    private boolean hasStarted;

    private @Nullable Ballot ballot;

    /** View of the member that has sent the last PREPARE, which needs no record of it. */
    private @Nullable ViewId knownToProposer;

    private boolean wasCoordinator;
    private final BallotPacing pacing;

    private boolean isDirty = true;

    /** A change may need a ballot at once; otherwise there are newcomers at most. */
    private boolean isUrgent;

    private final Advertiser advertiser;

    /** Rules of the primary partition; null where each side of a partition goes on. */
    private final @Nullable PrimaryPartition primary;

    private long viewsInstalled;
    private long ballotsStarted;
    private long ballotsRefused;
    private long stragglersCompleted;

    public Membership(Member self, Timing timing) {
        this(self, timing, null);
    }

    private Membership(Member self, Timing timing, @Nullable PrimaryChain chain) {
        this.self = self;
        this.timing = timing;
        this.view = View.alone(self);
        known.add(self);
        this.promised = view.id();
        this.peers = new Peers(self, view);
        this.authority = new Authority(self, known, peers);
        this.advertiser = new Advertiser(self, peers);
        this.pacing = new BallotPacing(self, peers, timing);
        this.trust = new Trust(timing, pacing.unsettled());
        this.primary = chain == null ? null : new PrimaryPartition(this, self, peers, known, chain);
    }

    /**
     * Creates the layer for a group in which only a majority of the last view goes on.
     *
     * @param founders names of the nodes of which a majority makes the first primary view
     * @param leaveTimeoutNanos time for which a leaving member waits until no majority needs it any more
     */
    public static Membership primary(Member self, Timing timing, List<String> founders, long leaveTimeoutNanos) {
        return new Membership(self, timing, new PrimaryChain(self, founders, leaveTimeoutNanos));
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
            case MembershipMessage.PREPARE -> onPrepare(from.member, packet, out);
            case MembershipMessage.ACK -> onAck(from, packet, out);
            case MembershipMessage.NACK -> onNack(from, packet, out);
            case MembershipMessage.CUT -> onCut(false, packet, out);
            case MembershipMessage.WHO -> onWho(from.member);
            case MembershipMessage.VIEW_STABLE -> onViewStable(from.member, packet, out);
            default -> primary == null ? DropReason.MALFORMED : primary.onMessage(kind, from, packet, out);
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
            out.lower(new Signal.Expel(from.member, "it has sent a control message of more than " + Assembly.BYTES_MAX
                    + " bytes"));
            return DropReason.MALFORMED;
        }
        if (!isLast && peers.assemblyBytes() > ASSEMBLIES_BYTES_MAX) {
            from.assembly = null;
            out.lower(new Signal.Expel(from.member, "control messages of more than " + ASSEMBLIES_BYTES_MAX
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
            case Signal.Opened(Member member) -> {
                start(out);
                known.add(member);
                peers.open(member);
                advertiser.onOpened(member);
                if (primary != null) {
                    primary.onOpened(member, out);
                }
                pacing.onGrowth();
                closed.remove(member);
                isDirty = true;
                out.forward(signal);
            }
            case Signal.Closed(Member member, boolean isGraceful, String reason) -> {
                start(out);
                if (peers.close(member) != null) {
                    if (primary != null) {
                        primary.onClosed(member, isGraceful);
                    }
                    advertiser.onClosed(member);
                    authority.onClosed(member);
                    trust.onClosed(member, out);
                    closed.add(member);
                    lost.add(member);
                    isUrgent = true;
                    isDirty = true;
                    out.forward(signal);
                }
            }
            case Signal.Frozen(ViewId id, TreeMap<Member, Long> received) -> onFrozen(id, received, out);
            case Signal.Flushed(ViewId id) -> {
                View reached = target;
                if (primary != null && primary.isProposed()) {
                    primary.onReached(id, out);
                } else if (id.equals(promised) && reached != null) {
                    install(reached, out);
                }
                isDirty = true;
            }
            case Signal.Expel(Member member, String reason) -> {
                trust.leaveOut(member, reason, out);
                out.forward(signal);
            }
            case Signal.Leave() when primary == null -> out.lower(new Signal.Left("left"));
            case Signal.Leave() -> primary.leave(out);
            case Signal.Loaded(Packet record) when primary != null -> primary.load(record, out);
            case Signal.Stored(long number) when primary != null -> {
                primary.onStored(number, out);
                isDirty = true;
            }
            default -> out.forward(signal);
        }
    }

    @Override
    public void onTimer(int timer, Outbox out) {
        if (timer == PROGRESS) {
            expelSilent(out);
        } else if (timer == LEAVE && primary != null) {
            primary.onLeaveTimeout(out);
        } else if (timer == Trust.PATIENCE) {
            trust.passOver(out);
        } else if (timer != Trust.RETURN) {
            pacing.onTimer(timer, out);
        }
        isUrgent |= timer != BallotPacing.GATHER;
        isDirty = true;
    }

    @Override
    public void onTurnEnd(Outbox out) {
        start(out);
        if (!isDirty || !isReady()) {
            return;
        }
        isDirty = false;
        trust.apply(peers, out);
        noticeFollowed(out);
        considerBallot(out);
        advertise(out);
        await(out);
    }

    /** Returns whether this member knows its record; before that it neither advertises nor promises anything. */
    private boolean isReady() {
        return primary == null || primary.isLoaded();
    }

    /** Installs the first view, of this member alone, with the first turn. */
    private void start(Outbox out) {
        if (!hasStarted) {
            hasStarted = true;
            announce(out);
            if (primary != null) {
                out.lower(new Signal.Load());
            }
        }
    }

    // ------------------------------------------------------------------ messages

    private @Nullable DropReason onAdvert(Peer peer, Packet packet) {
        Advert advert = Advert.takeFrom(packet, known);
        Advert.Detail detail = Advert.takeDetail(packet, known);
        DropReason objection = packet.isMalformed() ? DropReason.MALFORMED : authority.objection(peer.member, advert, number());
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
                        isUrgent |= !gone.isEmpty();
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
        pacing.onGrowth();
        // A new follower can wait; one that leaves, has lost another member or has promised another ballot can't.
        boolean hasPromised = isFollower && peers.isInView(peer.member) && !peer.promised.equals(view.id());
        isUrgent |= wasFollower && !isFollower || hadLost || !peer.lost.isEmpty() || hasPromised;
        return isTold || !isFollower ? null : DropReason.MALFORMED;
    }

    private @Nullable DropReason onWho(Member asker) {
        advertiser.onAsked(asker);
        return null;
    }

    private @Nullable DropReason onViewStable(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (!peers.isInView(from) || !from.equals(peers.follows()) && !from.equals(view.id().proposer())) {
            return id.equals(view.id()) ? DropReason.FORGED : DropReason.OLD_VIEW;
        }
        if (id.equals(view.id()) && !hasFollowed) {
            hasFollowed = true;
            out.raise(new Signal.ViewStable(view));
        }
        return null;
    }

    private @Nullable DropReason onPrepare(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        ViewId proposersView = Wire.takeViewId(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (!Authority.isPlausible(id, number())) {
            return DropReason.IMPLAUSIBLE;
        }
        Member follows = peers.follows();
        if (id.isAfter(promised) && id.number() > floor() && from.equals(follows) && isReady()) {
            promise(id);
            knownToProposer = proposersView;
            ballot = null;
            out.disarm(PROGRESS);
            out.raise(new Signal.Freeze(id));
        } else {
            Control.send(Control.nack(id, promised, floor(), follows), from, out);
        }
        return null;
    }

    /** Answers {@code id} after the layer above has stopped, unless a newer ballot has come meanwhile. */
    private void onFrozen(ViewId id, TreeMap<Member, Long> received, Outbox out) {
        if (!id.equals(promised)) {
            return;
        }
        if (primary == null) {
            answer(id, new Ballot.Answer(view, received), out);
        } else {
            primary.answer(id, received, out);
        }
    }

    void answer(ViewId id, Ballot.Answer answer, Outbox out) {
        advertiser.onAnswering(id, view);
        // The coordinator that decides on this answer must already know everything else.
        advertise(out);
        isUrgent |= !lost.isEmpty();
        if (ballot != null && ballot.id().equals(id)) {
            ballot.record(self, answer);
            advance(ballot, out);
        } else if (peers.contains(id.proposer())) {
            boolean isWhole = !view.id().equals(knownToProposer) && !view.equals(View.alone(self));
            Control.send(Control.ack(id, answer, isWhole), id.proposer(), out);
        }
        isDirty = true;
    }

    private @Nullable DropReason onAck(Peer from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        View answerView = null;
        if (packet.takeBoolean()) {
            answerView = Wire.takeView(packet, known);
            if (primary != null && packet.takeBoolean()) {
                answerView = Wire.takePrimary(packet, answerView, known);
            }
        } else {
            ViewId viewId = Wire.takeViewId(packet, known);
            View alone = View.alone(from.member);
            if (viewId.equals(alone.id())) {
                answerView = alone;
            } else if (ballot != null && viewId.equals(ballot.startedIn().id())) {
                answerView = ballot.startedIn();
            }
        }
        TreeMap<Member, Long> received = Wire.takeVector(packet, known);
        PrimaryChain.Vote vote = primary == null ? null : PrimaryChain.takeVote(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (ballot == null || answerView == null || !ballot.id().equals(id)
                || !ballot.awaits(from.member)) {
            return DropReason.OLD_BALLOT;
        }
        DropReason objection = authority.objection(from.member, id, answerView, received);
        if (objection == null) {
            objection = Authority.objection(id, vote);
        }
        if (objection != null) {
            return objection;
        }
        if (!ballot.record(from.member, new Ballot.Answer(answerView, received, vote))) {
            return DropReason.OLD_BALLOT;
        }
        peers.answered(from, id);
        from.refusals = 0;
        isUrgent |= !from.lost.isEmpty();
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        advance(ballot, out);
        return null;
    }

    private @Nullable DropReason onNack(Peer from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        ViewId otherPromised = Wire.takeViewId(packet, known);
        long otherNumber = packet.takeLong();
        Wire.takeMember(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (ballot == null || !ballot.id().equals(id)) {
            return DropReason.OLD_BALLOT;
        }
        if (!ballot.isAsked(from.member)) {
            return DropReason.FORGED;
        }
        if (!Authority.isPlausible(otherPromised, number()) || otherNumber > Authority.limit(number())) {
            return DropReason.IMPLAUSIBLE;
        }
        ballotsRefused++;
        from.refusals++;
        if (from.refusals >= REFUSALS_MAX) {
            from.refusals = 0;
            trust.leaveOut(from.member, "it has refused " + REFUSALS_MAX + " ballots in a row", out);
        }
        ballot = null;
        target = null;
        isUrgent = true;
        out.disarm(PROGRESS);
        // A record may have a number that no advert has announced.
        boolean isPast = primary != null && otherNumber == otherPromised.number();
        pacing.onRefused(isPast ? new ViewId(otherNumber, Integer.MAX_VALUE, self) : otherPromised, otherNumber, out);
        return null;
    }

    @Nullable DropReason onCut(boolean isProposal, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        View record = Wire.takeView(packet, known);
        if (primary != null) {
            record = Wire.takePrimary(packet, record, known);
        }
        long[] since = new long[record.size()];
        for (int rank = 0; rank < since.length; rank++) {
            since[rank] = packet.takeLong();
        }
        int holderCount = packet.takeCount(2 * Wire.MEMBER_BYTES_MIN);
        TreeMap<Member, Member> holders = new TreeMap<>();
        for (int index = 0; index < holderCount && !packet.isMalformed(); index++) {
            holders.put(Wire.takeMember(packet, known), Wire.takeMember(packet, known));
        }
        boolean isInstallable = !isProposal || packet.takeBoolean();
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        DropReason objection = authority.objection(id, record, since, isProposal);
        if (objection != null) {
            return objection;
        }
        boolean isTaken = isProposal && primary != null
                ? primary.take(id, record, since, isInstallable ? holders : null, out)
                : takeCut(id, record, since, holders, out);
        return isTaken ? null : DropReason.OLD_BALLOT;
    }

    // ------------------------------------------------------------------ decisions

    /** Promises a ballot, which freezes this member until the ballot's view is installed [R4, decision D4]. */
    private void promise(ViewId id) {
        promised = id;
        target = null;
        if (primary != null) {
            primary.onPromise();
        }
        // A session that is down now stays on the list: a view must not begin with it and forget it [D10].
        lost = new TreeSet<>(closed);
        peers.onPromise();
        isUrgent = true;
        isDirty = true;
    }

    /** Starts or restarts a ballot if one is needed [R3]. */
    private void considerBallot(Outbox out) {
        boolean isCoordinator = peers.follows().equals(self);
        isUrgent |= isCoordinator && !wasCoordinator;
        wasCoordinator = isCoordinator;
        if (isCoordinator && !isUrgent && !pacing.mustLook(ballot == null || ballot.isWaiting(), out)) {
            return;
        }
        isUrgent = false;
        List<Member> heard = isCoordinator ? peers.candidates() : List.of();
        List<Member> candidates = primary == null ? heard : primary.staying(heard, out);
        BallotTrigger trigger = new BallotTrigger(peers, view, promised, lost);
        boolean isWanted = !candidates.isEmpty()
                && (ballot != null ? trigger.mustRestart(ballot, candidates) : trigger.isNeeded(candidates));
        if (primary != null && !candidates.isEmpty()) {
            isWanted = primary.isWanted(isWanted, heard, out);
        }
        if (!isWanted) {
            pacing.end(out);
            return;
        }
        if (pacing.isBackingOff(out)) {
            isUrgent = true;
            return;
        }
        if (pacing.mustHoldBack(out)) {
            return;
        }
        if (pacing.mustAwaitAgreement(heard, out)) {
            giveUp(out);
            return;
        }
        boolean isGrowth = ballot == null
                ? trigger.isOnlyGrowth(candidates)
                : ballot.isWaiting() && new TreeSet<>(heard).containsAll(ballot.asked());
        if (isGrowth && pacing.mustGather(out)) {
            return;
        }
        startBallot(candidates, primary == null ? List.of() : primary.electors(heard), out);
    }

    /** Ends a ballot that has to be restarted, as after a refusal: it must not decide on members that disagree. */
    void giveUp(Outbox out) {
        if (ballot != null) {
            ballot = null;
            out.disarm(PROGRESS);
        }
    }

    private void startBallot(List<Member> candidates, List<Member> electors, Outbox out) {
        List<Member> asked = new ArrayList<>(candidates);
        asked.addAll(electors);
        ViewId highest = pacing.highest(promised);
        long number = floor();
        for (Member member : asked) {
            Peer peer = peers.get(member);
            if (peer != null) {
                highest = peer.promised.isAfter(highest) ? peer.promised : highest;
                number = Math.max(number, peer.view.number());
            }
        }
        ViewId id = highest.number() > number && highest.attempt() < Integer.MAX_VALUE
                ? new ViewId(highest.number(), highest.attempt() + 1, self)
                : new ViewId(Math.max(highest.number(), number) + 1, 1, self);
        ballotsStarted++;
        pacing.end(out);
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        promise(id);
        ballot = new Ballot(id, candidates, electors, view);
        out.raise(new Signal.Freeze(id));
        Control.send(Control.prepare(id, view.id()), others(ballot.asked()), out);
    }

    /** Once all have answered, lets the stragglers catch up [R6], or decides [R7]. */
    private void advance(Ballot running, Outbox out) {
        if (!running.isComplete()) {
            return;
        }
        List<Member> divergent = running.divergent();
        if (!divergent.isEmpty()) {
            separate(running, divergent, out);
            return;
        }
        List<Ballot.Straggler> stragglers = running.takeStragglers();
        if (!stragglers.isEmpty()) {
            for (Ballot.Straggler straggler : stragglers) {
                stragglersCompleted++;
                TreeMap<Member, Member> holders = new TreeMap<>();
                for (View.Part part : straggler.view().parts()) {
                    part.cut().keySet().forEach(sender -> holders.put(sender, straggler.holder()));
                }
                long[] since = peers.since(straggler.view());
                if (straggler.member().equals(self)) {
                    takeCut(running.id(), straggler.view(), since, holders, out);
                } else {
                    Control.send(Control.cut(running.id(), straggler.view(), since, holders), straggler.member(), out);
                }
            }
            return;
        }
        if (primary != null) {
            primary.propose(running, out);
            return;
        }
        Ballot.Decision decision = running.decide();
        View decided = decision.view();
        long[] since = peers.since(decided);
        out.disarm(PROGRESS);
        // Newcomers have nothing to fetch, so all of them get the same message.
        List<Member> newcomers = new ArrayList<>();
        for (View.Part part : decided.parts()) {
            List<Member> others = others(part.members());
            if (decision.holdersOf(part).isEmpty()) {
                newcomers.addAll(others);
            } else {
                Control.send(Control.cut(running.id(), decided, since, decision.holdersOf(part)), others, out);
            }
        }
        Control.send(Control.cut(running.id(), decided, since, new TreeMap<>()), newcomers, out);
        for (View.Part part : decided.parts()) {
            if (part.members().contains(self)) {
                takeCut(running.id(), decided, since, decision.holdersOf(part), out);
            }
        }
    }

    /** Starts a ballot without the divergent members; the view after the next has them again. */
    private void separate(Ballot running, List<Member> divergent, Outbox out) {
        List<Member> rest = new ArrayList<>(running.candidates());
        rest.removeAll(divergent);
        if (primary != null) {
            // They are asked all the same: else the remaining members might be no majority.
            startBallot(rest, Stream.concat(running.electors().stream(), divergent.stream()).toList(), out);
        } else {
            startBallot(divergent.contains(self) ? List.of(self) : rest, List.of(), out);
        }
    }

    List<Member> others(List<Member> members) {
        List<Member> others = new ArrayList<>(members);
        others.remove(self);
        return others;
    }

    /** Takes a cut if it is for the ballot last promised and for this member's view [R8, decision D6]. */
    boolean takeCut(ViewId id, View record, long[] since, TreeMap<Member, Member> holders, Outbox out) {
        if (!id.equals(promised)) {
            return false;
        }
        for (View.Part part : record.parts()) {
            if (part.previous().equals(view.id()) && part.members().contains(self)) {
                target = record;
                targetSince = since;
                out.raise(new Signal.Flush(id, part.cut(), holders));
                return true;
            }
        }
        return false;
    }

    void install(View record, Outbox out) {
        view = record;
        target = null;
        boolean isCompletion = primary == null || primary.onInstall(record, out);
        viewsInstalled++;
        joined = peers.install(view, targetSince);
        advertiser.onInstalled(view, joined);
        boolean isIdle = Ballot.isIdle(view);
        if (!isIdle) {
            advertiser.confirm();
        }
        hasFollowed = false;
        isUrgent = true;
        if (isSteady()) {
            ballot = null;
            pacing.onSteady();
            // Members outside of the view are forgotten, or those that are gone for good would add up. Should one of
            // them be in a later view, its session must have been open since the promise to that one [D10].
            closed.removeIf(member -> !peers.isInView(member));
            lost.removeIf(member -> !peers.isInView(member));
            for (Member member : view.members()) {
                if (!member.equals(self) && !peers.isUnbroken(member)) {
                    lost.add(member);
                }
            }
        }
        announce(out);
        if (!isSteady() && !isCompletion) {
            // The decided view was proposed by an older ballot; another ballot has to follow.
            giveUp(out);
        } else if (!isSteady()) {
            // An older proposal was completed under a newer ballot, which wants its answer again [R9].
            out.raise(new Signal.Freeze(promised));
        } else if (isIdle) {
            hasFollowed = true;
            out.raise(new Signal.ViewStable(view));
        }
        isDirty = true;
    }

    boolean isSteady() {
        return promised.equals(view.id()) && (primary == null || primary.isLast(view.id()));
    }

    /** Returns the highest number of a view or a ballot that this member has taken part in. */
    private long number() {
        return Math.max(floor(), promised.number());
    }

    /** Returns the highest number of a view that this member knows to be in the past. */
    private long floor() {
        return primary == null ? view.id().number() : Math.max(view.id().number(), primary.lastNumber());
    }

    private void announce(Outbox out) {
        Signal.Installed installed = new Signal.Installed(view, isSteady());
        out.lower(installed);
        out.raise(installed);
    }

    /**
     * Announces that all members have installed the view, after which none can ask for packets of the previous one
     * [R5]. The coordinator learns it from each member and tells all.
     */
    private void noticeFollowed(Outbox out) {
        if (hasFollowed || !peers.follows().equals(self)) {
            return;
        }
        if (!peers.haveInstalled(view)) {
            return;
        }
        hasFollowed = true;
        out.raise(new Signal.ViewStable(view));
        Control.send(Control.followed(view.id()), others(view.members()), out);
    }

    private void expelSilent(Outbox out) {
        Ballot running = ballot;
        if (running == null || running.isOver() || running.isWaiting()) {
            return;
        }
        for (Member member : running.missing()) {
            if (!member.equals(self)) {
                if (running.noteSilent(member)) {
                    trust.leaveOut(member, "it has not answered ballot " + running.id() + " within ballot-timeout", out);
                }
                out.lower(new Signal.Expel(member, "no answer to ballot " + running.id() + " within ballot-timeout"));
            }
        }
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
    }

    /** Waits for the coordinator, within a bound, while there is work that only it can do. */
    private void await(Outbox out) {
        Member follows = peers.follows();
        boolean isOutside = primary != null && primary.isOutside();
        boolean isWaiting = !isSteady() || !peers.isInView(follows) || closed.stream().anyMatch(peers::isInView);
        if (!isWaiting || isOutside) {
            trust.end(out);
        } else if (follows.equals(self)) {
            trust.pause(out);
        } else {
            trust.await(follows, out);
        }
    }

    // ------------------------------------------------------------------ for the primary partition
    ViewId promised() {
        return promised;
    }

    /** Takes a promise from the record as if it had been made now. */
    void raisePromise(ViewId before) {
        promised = before.isAfter(promised) ? before : promised;
    }

    @Nullable View target() {
        return target;
    }

    @Nullable Ballot ballot() {
        return ballot;
    }

    View view() {
        return view;
    }

    void age(long since) {
        joined = since;
        look();
    }

    void look() {
        isUrgent = true;
        isDirty = true;
    }

    void awaitProgress(Outbox out) {
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
    }

    void endProgress(Outbox out) {
        out.disarm(PROGRESS);
    }

    private void advertise(Outbox out) {
        advertiser.advertise(advert(), standing().members(), lost, out);
    }

    private Advert advert() {
        return new Advert(standing().id(), promised, peers.follows(), joined);
    }

    /** Returns the view by which others judge whether they could be in one with this member. */
    private View standing() {
        return primary != null && primary.isOutside() ? View.alone(self) : view;
    }

    @Override
    public void report(Report report) {
        Report section = report.section("membership");
        section.put("view", view.id().toString());
        section.put("members", view.members().toString());
        section.put("state", isSteady() ? "steady" : target == null ? "answered" : "catching-up");
        section.put("promised", promised.toString());
        section.put("follows", peers.follows().toString());
        section.put("sessions", peers.all().size());
        section.put("views-installed", viewsInstalled);
        section.put("ballots-started", ballotsStarted);
        section.put("ballots-refused", ballotsRefused);
        section.put("stragglers-completed", stragglersCompleted);
        section.put("adverts-sent", advertiser.advertsSent());
        trust.report(section);
        if (primary != null) {
            primary.report(section);
        }
    }
}
