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
import dev.tutti.protocols.mistake.Mistake;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Agrees on views: join, leave, crash, coordinator crash and merge are one operation, a ballot among the members that a
 * coordinator can hear.
 *
 * <p>Implements the model-checked protocol of {@code docs/design/membership.md}, whose rule numbers stand in brackets
 * here. What was received, and how missing packets are fetched, is the business of the layer above, which is asked by
 * {@link Signal.Freeze} and {@link Signal.Reach}. Control messages need no repetition: a session delivers them or is
 * lost, and a lost session restarts the ballot.
 */
public final class Membership implements Layer {

    /**
     * How long things may take, in nanoseconds.
     *
     * @param holdBackNanos timer F: wait for a member that follows somebody whom the coordinator does not hear
     * @param mergeDelayNanos timer J: collect other parts before merging, at most
     * @param ballotTimeoutNanos timer R: a ballot without an answer for so long expels those it waits for
     */
    public record Timing(long holdBackNanos, long mergeDelayNanos, long ballotTimeoutNanos) {}

    /** Largest control message: what bounds the members of a group, some 6,000 with names and addresses of 20 characters. */
    public static final int CONTROL_BYTES_MAX = Assembly.BYTES_MAX;

    // Kinds of packets; everything above this layer travels as DATA.
    static final int DATA = 0;
    static final int ADVERT = 1;
    static final int PREPARE = 2;
    static final int ACK = 3;
    static final int NACK = 4;
    static final int CUT = 5;
    static final int WHO = 6;
    static final int FOLLOWED = 7;
    static final int PIECE = 8;

    // Of groups with a primary partition.
    static final int PROPOSE = 9;
    static final int ACCEPTED = 10;
    static final int INSTALL = 11;
    static final int LEARN = 12;
    static final int WAIT = 13;
    static final int LEAVING = 14;

    private static final int REASON_BYTES_MAX = 1_024;

    private static final int PROGRESS = 3;
    private static final int LEAVE = 5;

    private final Member self;
    private final Timing timing;
    private final Mistake mistake;
    private final Members known = new Members();

    private final Peers peers;
    private View view;
    private ViewId promised;
    private @Nullable View target;

    /** By rank in {@link #target}: since which view each of its members has been with others. */
    private long[] targetSince = new long[0];

    private long joined = Advert.NOT_YET;
    private final TreeSet<Member> closed = new TreeSet<>();
    private TreeSet<Member> lost = new TreeSet<>();

    private boolean hasFollowed = true;
    private boolean hasStarted;

    private @Nullable Ballot ballot;

    /** In which view the one that has sent the last PREPARE is: it needs no record of it. */
    private @Nullable ViewId knownToProposer;

    private boolean wasCoordinator;
    private final Readiness readiness;

    private boolean isDirty = true;

    /** Something has changed that may need a ballot at once; else there is at most somebody new. */
    private boolean isUrgent;

    private final Publicity publicity;

    /** Null where each side of a partition goes on. */
    private final @Nullable Succession succession;

    /** What this member knows of the proposal of the ballot last promised. */
    private Succession.@Nullable Proposal proposal;

    private boolean isReached;
    private boolean isDecided;

    /** Whether this member stands still outside of the primary partition, as far as it knows. */
    private boolean isOutside;

    /** Members that wait for a primary view without them, as they have said to this one. */
    private final TreeSet<Member> leaving = new TreeSet<>();

    private boolean isLeaving;
    private @Nullable Member toldLeaving;

    private final TreeMap<Member, Assembly> assemblies = new TreeMap<>();
    private long viewsInstalled;
    private long ballotsStarted;
    private long ballotsRefused;
    private long stragglersCompleted;

    public Membership(Member self, Timing timing) {
        this(self, timing, Mistake.NONE);
    }

    public Membership(Member self, Timing timing, Mistake mistake) {
        this(self, timing, mistake, null);
    }

    private Membership(Member self, Timing timing, Mistake mistake, @Nullable Succession succession) {
        this.self = self;
        this.succession = succession;
        this.timing = timing;
        this.mistake = mistake;
        this.view = View.alone(self);
        this.promised = view.id();
        this.peers = new Peers(self, view, mistake);
        this.publicity = new Publicity(self, peers);
        this.readiness = new Readiness(self, peers, timing);
        if (succession != null) {
            peers.letGrowYounger();
        }
    }

    /**
     * Of a group in which only a majority of the last view goes on.
     *
     * @param founders names of the nodes of whom a majority makes the first primary view
     * @param leaveTimeoutNanos how long a leaving member waits until it is no more needed for a majority
     */
    public static Membership primary(
            Member self, Timing timing, List<String> founders, long leaveTimeoutNanos, Mistake mistake) {
        return new Membership(self, timing, mistake, new Succession(self, founders, leaveTimeoutNanos, mistake));
    }

    // ------------------------------------------------------------------ inputs

    @Override
    public void onSend(Packet packet, Outbox out) {
        out.send(packet.prependByte(DATA));
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        Member from = packet.peer();
        int kind = packet.takeByte();
        if (packet.isMalformed() || from == null) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (kind == DATA) {
            out.deliver(packet);
            return;
        }
        Peer peer = peers.get(from);
        if (peer == null) {
            out.drop(packet, DropReason.NO_SESSION);
            return;
        }
        DropReason problem = kind == PIECE ? onPiece(peer, packet, out) : onMessage(kind, peer, packet, out);
        if (problem != null) {
            out.drop(packet, problem);
        } else {
            packet.release();
        }
        isDirty = true;
    }

    private @Nullable DropReason onMessage(int kind, Peer from, Packet packet, Outbox out) {
        return switch (kind) {
            case ADVERT -> onAdvert(from, packet);
            case PREPARE -> onPrepare(from.member, packet, out);
            case ACK -> onAck(from, packet, out);
            case NACK -> onNack(packet, out);
            case CUT -> onCut(false, packet, out);
            case WHO -> onWho(from.member, out);
            case FOLLOWED -> onFollowed(packet, out);
            default -> succession == null ? DropReason.MALFORMED : onPrimaryMessage(kind, succession, from, packet, out);
        };
    }

    /** A message that did not fit into a frame; what comes of it is counted with its last piece. */
    private @Nullable DropReason onPiece(Peer from, Packet piece, Outbox out) {
        boolean isLast = piece.takeBoolean();
        if (piece.isMalformed()) {
            return DropReason.MALFORMED;
        }
        Assembly assembly = assemblies.computeIfAbsent(from.member, absent -> new Assembly());
        if (!assembly.add(piece)) {
            assemblies.remove(from.member);
            out.lower(new Signal.Expel(from.member, "it has sent a control message of more than " + Assembly.BYTES_MAX
                    + " bytes"));
            return DropReason.MALFORMED;
        }
        if (!isLast) {
            return null;
        }
        assemblies.remove(from.member);
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
                publicity.onOpened(member);
                readiness.onGrowth();
                closed.remove(member);
                isDirty = true;
                out.forward(signal);
            }
            case Signal.Closed(Member member, boolean isGraceful, String reason) -> {
                start(out);
                if (peers.close(member) != null) {
                    publicity.onClosed(member);
                    assemblies.remove(member);
                    leaving.remove(member);
                    toldLeaving = member.equals(toldLeaving) ? null : toldLeaving;
                    closed.add(member);
                    lost.add(member);
                    isUrgent = true;
                    isDirty = true;
                    out.forward(signal);
                }
            }
            case Signal.Frozen(ViewId id, TreeMap<Member, Long> received) -> onFrozen(id, received, out);
            case Signal.Reached(ViewId id) -> {
                View reached = target;
                if (id.equals(promised) && reached != null && succession != null && proposal != null) {
                    reach(succession, proposal, out);
                } else if ((id.equals(promised) || mistake == Mistake.NO_PROMISE) && reached != null) {
                    install(reached, out);
                }
                isDirty = true;
            }
            case Signal.Leave() -> leave(out);
            case Signal.Loaded(Packet record) when succession != null -> load(succession, record, out);
            case Signal.Stored(long number) when succession != null -> onStored(succession.onStored(number), out);
            default -> out.forward(signal);
        }
    }

    @Override
    public void onTimer(int timer, Outbox out) {
        if (timer == PROGRESS) {
            expelSilent(out);
        } else if (timer == LEAVE) {
            out.lower(new Signal.Left());
        } else {
            readiness.onTimer(timer, out);
        }
        isUrgent |= timer != Readiness.GATHER;
        isDirty = true;
    }

    @Override
    public void onTurnEnd(Outbox out) {
        start(out);
        if (!isDirty || !isReady()) {
            return;
        }
        isDirty = false;
        noticeFollowed(out);
        considerBallot(out);
        advertise(out);
        if (isLeaving) {
            askToLeave(out);
        }
    }

    /** Who does not know yet what is on record says and promises nothing. */
    private boolean isReady() {
        return succession == null || succession.isLoaded();
    }

    /** The first view, of oneself alone, is installed with the first turn. */
    private void start(Outbox out) {
        if (!hasStarted) {
            hasStarted = true;
            announce(out);
            if (succession != null) {
                out.lower(new Signal.Load());
            }
        }
    }

    // ------------------------------------------------------------------ messages

    private @Nullable DropReason onAdvert(Peer peer, Packet packet) {
        Advert advert = Advert.takeFrom(packet, known);
        Advert.Detail detail = Advert.takeDetail(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
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
                        publicity.onListed(peer.member);
                        yield true;
                    }
                };
        if (!isFollower) {
            peer.forgetHearing();
        }
        publicity.onAdvert(peer, hasTurned);
        readiness.onGrowth();
        // One that comes has time; one that goes, has lost another or has promised something else has not.
        boolean hasPromised = isFollower && peers.isInView(peer.member) && !peer.promised.equals(view.id());
        isUrgent |= wasFollower && !isFollower || hadLost || !peer.lost.isEmpty() || hasPromised;
        return isTold || !isFollower ? null : DropReason.MALFORMED;
    }

    private @Nullable DropReason onWho(Member asker, Outbox out) {
        publicity.list(asker, standing(), advert(), out);
        return null;
    }

    private @Nullable DropReason onFollowed(Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (id.equals(view.id()) && !hasFollowed) {
            hasFollowed = true;
            out.raise(new Signal.Followed(view));
        }
        return null;
    }

    private @Nullable DropReason onPrepare(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        ViewId proposersView = Wire.takeViewId(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
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

    /** The layer above has stopped: the answer to {@code id}, unless a newer ballot has come meanwhile. */
    private void onFrozen(ViewId id, TreeMap<Member, Long> received, Outbox out) {
        if (!id.equals(promised)) {
            return;
        }
        if (succession == null) {
            answer(id, new Ballot.Answer(view, received), out);
        } else {
            Ballot.Answer answer = new Ballot.Answer(view, received, succession.vote());
            succession.store(promised, new Succession.Answer(id, answer), out);
        }
    }

    private void answer(ViewId id, Ballot.Answer answer, Outbox out) {
        publicity.onAnswering(id, view);
        // Whoever decides on this answer must already know all else.
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
            if (succession != null && packet.takeBoolean()) {
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
        Succession.Vote vote = succession == null ? null : Succession.takeVote(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (ballot == null || answerView == null || !ballot.id().equals(id)
                || !ballot.awaits(from.member)) {
            return DropReason.OLD_BALLOT;
        }
        peers.answered(from, id);
        isUrgent |= !from.lost.isEmpty();
        ballot.record(from.member, new Ballot.Answer(answerView, received, vote));
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        advance(ballot, out);
        return null;
    }

    private @Nullable DropReason onNack(Packet packet, Outbox out) {
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
        ballotsRefused++;
        ballot = null;
        target = null;
        proposal = null;
        isUrgent = true;
        out.disarm(PROGRESS);
        // A record may have a number that no advert has told.
        boolean isPast = succession != null && otherNumber == otherPromised.number();
        readiness.onRefused(isPast ? new ViewId(otherNumber, Integer.MAX_VALUE, self) : otherPromised, otherNumber, out);
        return null;
    }

    private @Nullable DropReason onCut(boolean isProposal, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        View record = Wire.takeView(packet, known);
        if (succession != null) {
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
        boolean isTaken = isProposal && succession != null
                ? takeProposal(succession, id, record, since, isInstallable ? holders : null, out)
                : takeCut(id, record, since, holders, out);
        return isTaken ? null : DropReason.OLD_BALLOT;
    }

    // ------------------------------------------------------------------ decisions

    /** A promise freezes this member until a view is installed that the ballot made [R4, decision D4]. */
    private void promise(ViewId id) {
        promised = id;
        target = null;
        proposal = null;
        isReached = false;
        isDecided = false;
        if (succession != null) {
            succession.forgetStep();
        }
        // A session that is down now stays on the list: a view must not begin with it and forget it [D10].
        lost = mistake == Mistake.CLEAR_LOST ? new TreeSet<>() : new TreeSet<>(closed);
        peers.onPromise();
        isUrgent = true;
        isDirty = true;
    }

    /** Starts or restarts a ballot if one is needed [R3]. */
    private void considerBallot(Outbox out) {
        boolean isCoordinator = peers.follows().equals(self);
        isUrgent |= isCoordinator && !wasCoordinator;
        wasCoordinator = isCoordinator;
        if (isCoordinator && !isUrgent && !readiness.mustLook(isIdle(), out)) {
            return;
        }
        isUrgent = false;
        List<Member> heard = isCoordinator ? peers.candidates() : List.of();
        List<Member> candidates = succession == null ? heard : staying(heard, out);
        Occasion occasion = new Occasion(peers, view, promised, lost);
        boolean isWanted = !candidates.isEmpty()
                && (ballot != null ? occasion.mustRestart(ballot, candidates) : occasion.isNeeded(candidates));
        if (succession != null && !candidates.isEmpty()) {
            isWanted = isWanted(succession, isWanted, heard, out);
        }
        if (!isWanted) {
            readiness.end(out);
            return;
        }
        if (readiness.isBackingOff(out)) {
            isUrgent = true;
            return;
        }
        if (readiness.mustHoldBack(out)) {
            return;
        }
        if (readiness.mustAwaitAgreement(heard, out)) {
            giveUp(out);
            return;
        }
        boolean isGrowth = ballot == null
                ? occasion.isOnlyGrowth(candidates)
                : ballot.isWaiting() && new TreeSet<>(heard).containsAll(ballot.asked());
        if (isGrowth && readiness.mustGather(out)) {
            return;
        }
        startBallot(candidates, electors(heard), out);
    }

    /** A ballot that has to be restarted ends now, as after a refusal: it must not decide on those who disagree. */
    private void giveUp(Outbox out) {
        if (ballot != null) {
            ballot = null;
            out.disarm(PROGRESS);
        }
    }

    private void startBallot(List<Member> candidates, List<Member> electors, Outbox out) {
        List<Member> asked = new ArrayList<>(candidates);
        asked.addAll(electors);
        ViewId highest = readiness.highest(promised);
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
        readiness.end(out);
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        promise(id);
        ballot = new Ballot(id, candidates, electors, view, mistake);
        out.raise(new Signal.Freeze(id));
        Control.send(Control.prepare(id, view.id()), others(ballot.asked()), out);
    }

    /** All have answered: let those catch up who must [R6], or decide [R7]. */
    private void advance(Ballot running, Outbox out) {
        if (!running.isComplete()) {
            return;
        }
        List<Member> torn = running.torn();
        if (!torn.isEmpty()) {
            separate(running, torn, out);
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
            if (mistake != Mistake.STALE_ANSWER) {
                return;
            }
        }
        if (succession != null) {
            propose(running, succession, out);
            return;
        }
        Ballot.Decision decision = running.decide();
        View decided = decision.view();
        long[] since = peers.since(decided);
        out.disarm(PROGRESS);
        // Newcomers have nothing to fetch: theirs is the same message.
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

    /** The next view is without those who are torn, and the one after it has them again. */
    private void separate(Ballot running, List<Member> torn, Outbox out) {
        List<Member> rest = new ArrayList<>(running.candidates());
        rest.removeAll(torn);
        if (succession != null) {
            // They are asked all the same, or those who are left might be no majority.
            startBallot(rest, torn, out);
        } else {
            startBallot(torn.contains(self) ? List.of(self) : rest, List.of(), out);
        }
    }

    private List<Member> others(List<Member> members) {
        List<Member> others = new ArrayList<>(members);
        others.remove(self);
        return others;
    }

    /** Takes a cut if it is for the ballot last promised and for this member's view [R8, decision D6]. */
    private boolean takeCut(ViewId id, View record, long[] since, TreeMap<Member, Member> holders, Outbox out) {
        if (!id.equals(promised) && mistake != Mistake.NO_PROMISE) {
            return false;
        }
        for (View.Part part : record.parts()) {
            if (part.previous().equals(view.id()) && part.members().contains(self)) {
                target = record;
                targetSince = since;
                out.raise(new Signal.Reach(id, part.cut(), holders));
                return true;
            }
        }
        return false;
    }

    private void install(View record, Outbox out) {
        view = record;
        target = null;
        boolean isCompletion = proposal == null;
        isOutside = false;
        if (succession != null) {
            proposal = null;
            succession.learn(Succession.Primary.of(record));
            succession.store(promised, null, out);
        }
        viewsInstalled++;
        joined = peers.install(view, targetSince);
        publicity.onInstalled(view, joined);
        boolean isIdle = Ballot.isIdle(view);
        if (!isIdle) {
            publicity.confirm();
        }
        hasFollowed = false;
        isUrgent = true;
        if (isSteady()) {
            ballot = null;
            readiness.onSteady();
            // Who is not in the view is forgotten, or members that are gone for good would add up; should one of them
            // be in a later view, what counts is whether its session was open since the promise to that one [D10].
            closed.removeIf(member -> !peers.isInView(member));
            lost.removeIf(member -> !peers.isInView(member));
            for (Member member : view.members()) {
                if (!member.equals(self) && !peers.isUnbroken(member) && mistake != Mistake.CLEAR_LOST) {
                    lost.add(member);
                }
            }
        }
        announce(out);
        if (!isSteady() && !isCompletion) {
            // What was decided is what an older ballot had proposed: the next one is to come.
            giveUp(out);
        } else if (!isSteady()) {
            // An older proposal was completed under a newer ballot, which wants its answer again [R9].
            out.raise(new Signal.Freeze(promised));
        } else if (isIdle) {
            hasFollowed = true;
            out.raise(new Signal.Followed(view));
        }
        isDirty = true;
    }

    private boolean isSteady() {
        return promised.equals(view.id()) && (succession == null || succession.last().id().equals(view.id()));
    }

    /** The highest number of a view that this member knows to be in the past. */
    private long floor() {
        return succession == null ? view.id().number() : Math.max(view.id().number(), succession.last().id().number());
    }

    private void announce(Outbox out) {
        Signal.Installed installed = new Signal.Installed(view, isSteady());
        out.lower(installed);
        out.raise(installed);
    }

    /**
     * When all of the view have installed it, nobody can ask for packets of the view before [R5]. The coordinator hears
     * of it from each, and tells them.
     */
    private void noticeFollowed(Outbox out) {
        if (hasFollowed || !peers.follows().equals(self)) {
            return;
        }
        for (Member member : view.members()) {
            Peer peer = peers.get(member);
            boolean isBehind = peer == null || peer.confirmed < view.id().number();
            if (!member.equals(self) && isBehind && mistake != Mistake.EARLY_FOLLOWED) {
                return;
            }
        }
        hasFollowed = true;
        out.raise(new Signal.Followed(view));
        Control.send(Control.followed(view.id()), others(view.members()), out);
    }

    private void expelSilent(Outbox out) {
        Ballot running = ballot;
        if (running == null || running.isOver() || running.isWaiting()) {
            return;
        }
        for (Member member : running.missing()) {
            if (!member.equals(self)) {
                out.lower(new Signal.Expel(member, "no answer to ballot " + running.id() + " within ballot-timeout"));
            }
        }
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
    }

    // ------------------------------------------------------------------ primary views

    private void load(Succession own, @Nullable Packet record, Outbox out) {
        try {
            ViewId before = own.load(record, known, out.random());
            promised = before != null && before.isAfter(promised) ? before : promised;
        } catch (IllegalArgumentException e) {
            out.lower(new Signal.Failed("the record of this member can't be used: " + e.getMessage()));
            return;
        }
        isUrgent = true;
        isDirty = true;
        out.raise(new Signal.Suspended(own.missing(0)));
    }

    private boolean isIdle() {
        return ballot == null || ballot.isWaiting();
    }

    /** Those who are to be in the next view. */
    private List<Member> staying(List<Member> heard, Outbox out) {
        List<Member> staying = new ArrayList<>(heard);
        staying.removeAll(leaving);
        if (isLeaving) {
            staying.remove(self);
            if (staying.isEmpty() && !heard.isEmpty()) {
                out.lower(new Signal.Left());
            }
        }
        return staying;
    }

    /** Those who leave have their say in who follows them. */
    private List<Member> electors(List<Member> heard) {
        List<Member> electors = new ArrayList<>();
        for (Member member : heard) {
            if (leaving.contains(member) || isLeaving && member.equals(self)) {
                electors.add(member);
            }
        }
        return electors;
    }

    /** Whether a ballot is of use: the same members would give the same answers. */
    private boolean isWanted(Succession own, boolean isOccasion, List<Member> heard, Outbox out) {
        Ballot running = ballot;
        if (running != null) {
            TreeSet<Member> present = new TreeSet<>(heard);
            boolean isOther = running.isWaiting() && !present.equals(new TreeSet<>(running.asked()));
            return isOccasion || isOther || !present.containsAll(running.electors());
        }
        if (!isSteady() && heard.size() == 1 && !own.isMajorityAlone(self)) {
            stepOut(List.of(), own.missing(own.isVoter() ? 1 : 0), out);
            return false;
        }
        return isOccasion || !isSteady();
    }

    /** All have answered: the next primary view is proposed, if there is a majority of the last one. */
    private void propose(Ballot running, Succession own, Outbox out) {
        Tally tally = running.tally();
        if (!tally.behind().isEmpty()) {
            for (Member member : tally.behind()) {
                running.forget(member);
                if (member.equals(self)) {
                    learn(own, tally.last(), out);
                } else {
                    Control.send(Control.learn(running.id(), tally.last()), member, out);
                }
            }
            return;
        }
        if (!tally.isMajority()) {
            running.await();
            out.disarm(PROGRESS);
            Control.send(Control.wait(running.id(), running.asked(), tally.missing()), others(running.asked()), out);
            stepOut(running.asked(), tally.missing(), out);
            return;
        }
        Succession.Proposal before = tally.accepted();
        Ballot.Decision decision =
                before == null ? running.propose(tally.last()) : running.propose(tally.last(), before.view());
        View proposed = decision.view();
        long[] since = before == null
                ? peers.since(proposed)
                : before.since().stream().mapToLong(Long::longValue).toArray();
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        List<Member> rest = new ArrayList<>(running.asked());
        TreeMap<Member, Member> ownHolders = null;
        for (View.Part part : proposed.parts()) {
            List<Member> together = new ArrayList<>(part.members());
            together.removeIf(member -> !running.isAsked(member) || !running.canInstall(member, decision));
            ownHolders = together.contains(self) ? decision.holdersOf(part) : ownHolders;
            rest.removeAll(together);
            Packet propose = Control.propose(running.id(), proposed, since, decision.holdersOf(part), true);
            Control.send(propose, others(together), out);
        }
        Control.send(Control.propose(running.id(), proposed, since, new TreeMap<>(), false), others(rest), out);
        takeProposal(own, running.id(), proposed, since, ownHolders, out);
        if (mistake == Mistake.NO_ACCEPT) {
            decide(own, running, out);
        }
    }

    /** @param holders null if this member has not to come to the proposed view */
    private boolean takeProposal(
            Succession own, ViewId id, View record, long[] since, @Nullable TreeMap<Member, Member> holders, Outbox out) {
        if (!id.equals(promised)) {
            return false;
        }
        Succession.Proposal taken =
                new Succession.Proposal(id, record, Arrays.stream(since).boxed().toList());
        proposal = taken;
        if (holders == null || !takeCut(id, record, since, holders, out)) {
            reach(own, taken, out);
        }
        return true;
    }

    /** All up to the cut is here, and only then the proposal may be accepted: whoever completes it will find it. */
    private void reach(Succession own, Succession.Proposal reached, Outbox out) {
        isReached = true;
        View record = target;
        if (isDecided && record != null) {
            install(record, out);
        } else if (!isDecided && own.mayAccept(reached.view())) {
            own.accept(reached);
            own.store(promised, new Succession.Acceptance(reached.ballot()), out);
        }
    }

    private void onStored(Succession.@Nullable Step step, Outbox out) {
        switch (step) {
            case null -> {
                // A newer promise has come meanwhile, or nothing was waiting.
            }
            case Succession.Answer(ViewId id, Ballot.Answer answer) -> answer(id, answer, out);
            case Succession.Acceptance(ViewId id) -> {
                Ballot running = ballot;
                if (running == null || !running.id().equals(id)) {
                    Control.send(Control.note(ACCEPTED, id), id.proposer(), out);
                } else if (succession != null && running.accept(self)) {
                    decide(succession, running, out);
                }
            }
        }
        isDirty = true;
    }

    private @Nullable DropReason onPrimaryMessage(int kind, Succession own, Peer from, Packet packet, Outbox out) {
        if (kind == PROPOSE) {
            return onCut(true, packet, out);
        }
        if (kind == LEAVING) {
            leaving.add(from.member);
            isUrgent = true;
            return null;
        }
        ViewId id = Wire.takeViewId(packet, known);
        Succession.Primary decided = kind == LEARN ? Succession.takePrimary(packet, known) : own.last();
        List<Member> waiting = kind == WAIT ? Wire.takeMembers(packet, known) : List.of();
        String reason = kind == WAIT ? packet.takeText(REASON_BYTES_MAX) : "";
        if (packet.isMalformed() || kind < ACCEPTED || WAIT < kind) {
            return DropReason.MALFORMED;
        }
        Ballot running = ballot;
        Succession.Proposal open = proposal;
        if (kind == ACCEPTED) {
            if (running == null || !running.id().equals(id)) {
                return DropReason.OLD_BALLOT;
            }
            if (running.isAsked(from.member) && running.accept(from.member)) {
                decide(own, running, out);
            }
            return null;
        }
        if (!id.equals(promised) || kind == INSTALL && open == null) {
            return DropReason.OLD_BALLOT;
        }
        if (kind == LEARN) {
            learn(own, decided, out);
        } else if (kind == WAIT) {
            stepOut(waiting, reason, out);
        } else if (open != null) {
            conclude(own, open, out);
        }
        return null;
    }

    /** This member was behind, and answers again. */
    private void learn(Succession own, Succession.Primary decided, Outbox out) {
        own.learn(decided);
        out.raise(new Signal.Freeze(promised));
    }

    /** The others who wait are known to stand outside too. */
    private void stepOut(List<Member> others, String reason, Outbox out) {
        if (!isOutside || !others.isEmpty()) {
            isOutside = true;
            joined = peers.stepOut(others, promised);
            isUrgent = true;
            isDirty = true;
        }
        out.raise(new Signal.Suspended(reason));
    }

    /** A majority has accepted. */
    private void decide(Succession own, Ballot running, Outbox out) {
        out.disarm(PROGRESS);
        Control.send(Control.note(INSTALL, running.id()), others(running.asked()), out);
        Succession.Proposal known = proposal;
        if (known != null) {
            conclude(own, known, out);
        }
    }

    private void conclude(Succession own, Succession.Proposal decided, Outbox out) {
        isDecided = true;
        View record = target;
        if (record != null && isReached) {
            install(record, out);
        } else if (record == null) {
            // It only learns that the view has ended; it may come to the next one from where it is.
            proposal = null;
            own.learn(Succession.Primary.of(decided.view()));
            own.store(promised, null, out);
            giveUp(out);
            if (isLeaving && !own.isVoter()) {
                out.lower(new Signal.Left());
            } else {
                stepOut(List.of(), own.missing(0), out);
            }
        }
    }

    /** Who would be missed when the others ask for a majority waits for a view without it, as long as that may take. */
    private void leave(Outbox out) {
        if (succession == null || !succession.isLoaded() || !succession.isVoter() || peers.all().isEmpty()) {
            out.lower(new Signal.Left());
            return;
        }
        isLeaving = true;
        isUrgent = true;
        isDirty = true;
        out.arm(LEAVE, succession.leaveTimeoutNanos());
    }

    private void askToLeave(Outbox out) {
        Member follows = peers.follows();
        if (!follows.equals(self) && !follows.equals(toldLeaving)) {
            toldLeaving = follows;
            Control.send(Control.message(LEAVING, 1), follows, out);
        }
    }

    private void advertise(Outbox out) {
        publicity.advertise(advert(), standing().members(), lost, out);
    }

    private Advert advert() {
        return new Advert(standing().id(), promised, peers.follows(), joined);
    }

    /** The view that counts when others ask whether they could be in one with this member. */
    private View standing() {
        return isOutside ? View.alone(self) : view;
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
        section.put("adverts-sent", publicity.advertsSent());
        if (succession != null) {
            section.put("epoch", succession.last().epoch());
            section.put("last-primary", succession.last().id().toString());
        }
    }
}
