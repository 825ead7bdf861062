package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A member's part in view changes: it promises and answers ballots, catches up with what they decide, and installs the
 * views. Its {@link MemberState} changes only in the section on transitions.
 */
final class ViewChange {

    private final Member self;
    private final Members known;
    private final Peers peers;
    private final Authority authority;
    private final Advertiser advertiser;
    private final Proposer proposer;

    /** Rules of the primary partition; null where each side of a partition goes on. */
    private final @Nullable PrimaryPartition primary;

    private MemberState state;

    /** Members whose session is down. */
    private final TreeSet<Member> closed = new TreeSet<>();

    /** Members whose session was lost since the last promise. */
    private TreeSet<Member> lost = new TreeSet<>();

    /** All members are known to have the installed view. */
    private boolean isViewStable = true;

    /** Version of packets in the installed view. */
    private int version;

    private long viewsInstalled;

    ViewChange(
            Member self,
            Members known,
            Peers peers,
            Authority authority,
            Advertiser advertiser,
            Proposer proposer,
            @Nullable PrimaryPartition primary) {
        this.self = self;
        this.known = known;
        this.peers = peers;
        this.authority = authority;
        this.advertiser = advertiser;
        this.proposer = proposer;
        this.primary = primary;
        View alone = View.alone(self);
        // The first view is no primary one: a member of a group with a primary partition is frozen until there is one.
        this.state = primary == null
                ? new MemberState.Steady(alone)
                : new MemberState.Answered(alone, new MemberState.Promise(alone.id(), null));
    }

    /** Installs the first view, of this member alone, and asks for its record if it has one. */
    void start(Outbox out) {
        announce(out);
        if (primary != null) {
            out.lower(new Signal.Primary.Load());
        }
    }

    View view() {
        return state.view();
    }

    /** Returns the highest number of a view or a ballot that this member has taken part in. */
    long number() {
        return standing().number();
    }

    /** Returns whether this member knows its record; before that it neither advertises nor promises anything. */
    boolean isReady() {
        return primary == null || primary.isLoaded();
    }

    /** Returns whether there is work that only the coordinator that is followed can do. */
    boolean needs(Member coordinator) {
        boolean isOutside = primary != null && primary.isOutside();
        boolean isOpen = !state.isSteady() || !peers.isInView(coordinator) || closed.stream().anyMatch(peers::isInView);
        return isOpen && !isOutside;
    }

    private Proposer.Standing standing() {
        long number = state.view().id().number();
        return new Proposer.Standing(state, primary == null ? number : Math.max(number, primary.lastNumber()), lost);
    }

    // ------------------------------------------------------------------ sessions and adverts

    void onOpened(Member member, Outbox out) {
        if (primary != null) {
            primary.onOpened(member, out);
        }
        closed.remove(member);
    }

    void onClosed(Member member, boolean isGraceful) {
        if (primary != null) {
            primary.onClosed(member, isGraceful, state.view());
        }
        closed.add(member);
        lost.add(member);
        proposer.hurry();
    }

    /** Sends the adverts that are due. */
    void advertise(Outbox out) {
        advertiser.advertise(advert(), publicView().members(), lost, out);
    }

    private Advert advert() {
        return new Advert(publicView().id(), state.promised(), peers.follows(), peers.joined());
    }

    /** Returns the view by which others judge whether they could be in one with this member. */
    private View publicView() {
        return primary != null && primary.isOutside() ? View.alone(self) : state.view();
    }

    // ------------------------------------------------------------------ ballots

    /** Returns whether the primary partition has changed since the last call so that it may need a ballot at once. */
    boolean takeNews() {
        return primary != null && primary.takeNews();
    }

    /** Starts a ballot if this member coordinates and one is needed. Returns whether it did. */
    boolean considerBallot(Outbox out) {
        BallotMessage prepare = proposer.consider(standing(), out);
        return prepare != null && take(prepare, out);
    }

    /** Takes a message of a ballot, or one that only groups with a primary partition have. */
    @Nullable DropReason onMessage(int kind, Peer from, Packet packet, Outbox out) {
        if (MembershipMessage.PROPOSE <= kind && kind <= MembershipMessage.RELEASED && primary == null) {
            return DropReason.MALFORMED;
        }
        return switch (kind) {
            case MembershipMessage.VIEW_STABLE -> onViewStable(from.member, packet, out);
            case MembershipMessage.TAG_STABLE -> onTagStable(from.member, packet, out);
            case MembershipMessage.ACK -> onAck(from, packet, out);
            case MembershipMessage.NACK -> onNack(from, packet, out);
            case MembershipMessage.ACCEPTED -> onAccepted(from.member, packet, out);
            case MembershipMessage.LEAVING, MembershipMessage.RELEASED, MembershipMessage.RECORDED ->
                primary == null ? DropReason.MALFORMED : primary.onMessage(kind, from.member, state, packet, out);
            default -> onBallotMessage(kind, from.member, packet, out);
        };
    }

    private @Nullable DropReason onAck(Peer from, Packet packet, Outbox out) {
        DropReason objection = proposer.onAck(from, packet, out);
        if (objection == null) {
            take(proposer.advance(standing(), out), out);
        }
        return objection;
    }

    private @Nullable DropReason onNack(Peer from, Packet packet, Outbox out) {
        DropReason objection = proposer.onNack(from, packet, standing(), out);
        if (objection == null) {
            state = state.retreat();
        }
        return objection;
    }

    private @Nullable DropReason onAccepted(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (!proposer.isAsked(id, from)) {
            return DropReason.OLD_BALLOT;
        }
        take(proposer.onAccepted(id, from, out), out);
        return null;
    }

    // ------------------------------------------------------------------ messages of the proposer

    private @Nullable DropReason onBallotMessage(int kind, Member from, Packet packet, Outbox out) {
        BallotMessage message = BallotMessage.takeFrom(kind, packet, known, primary != null);
        if (message == null || packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (message instanceof BallotMessage.Prepare prepare) {
            return onPrepare(from, prepare, out);
        }
        DropReason objection =
                switch (message) {
                    case BallotMessage.Cut cut -> authority.objection(cut, false);
                    case BallotMessage.Propose(BallotMessage.Cut cut, boolean isInstallable) -> authority.objection(cut, true);
                    case BallotMessage.Learn learn when isAwaited(learn) && !PrimaryPartition.isPlausible(learn) ->
                        DropReason.IMPLAUSIBLE;
                    default -> null;
                };
        return objection != null ? objection : take(message, out) ? null : DropReason.OLD_BALLOT;
    }

    private @Nullable DropReason onPrepare(Member from, BallotMessage.Prepare prepare, Outbox out) {
        ViewId id = prepare.ballot();
        Proposer.Standing standing = standing();
        if (!Authority.isPlausible(id, standing.number())) {
            return DropReason.IMPLAUSIBLE;
        }
        Member follows = peers.follows();
        ViewId promised = state.promised();
        if (id.isAfter(promised) && id.number() > standing.floor() && from.equals(follows) && isReady()) {
            proposer.onPromised(out);
            take(prepare, out);
        } else {
            Control.send(Control.nack(id, promised, standing.floor(), follows), from, out);
        }
        return null;
    }

    /** Returns whether a message is of the ballot that this member has promised, and has not ended with a view. */
    private boolean isAwaited(BallotMessage message) {
        return !state.isSteady() && message.ballot().equals(state.promised());
    }

    /**
     * Takes a message of a ballot that has no objection, of this member itself or of another one.
     *
     * @param message null if there is none
     * @return false if the message does not count any more
     */
    private boolean take(@Nullable BallotMessage message, Outbox out) {
        return switch (message) {
            case null -> true;
            case BallotMessage.Prepare(ViewId id, ViewId proposersView) -> {
                promise(new MemberState.Promise(id, proposersView));
                out.raise(new Signal.ViewChange.Freeze(id));
                yield true;
            }
            case BallotMessage.Cut cut -> takeCut(cut, out);
            case BallotMessage.OfPrimary about -> primary != null && isAwaited(about) && take(primary, about, out);
        };
    }

    private boolean take(PrimaryPartition rules, BallotMessage.OfPrimary message, Outbox out) {
        switch (message) {
            case BallotMessage.Propose(BallotMessage.Cut cut, boolean isInstallable) -> {
                rules.onProposed(cut);
                if (!isInstallable || !takeCut(cut, out)) {
                    onFlushed(cut.ballot(), out);
                }
            }
            case BallotMessage.Install(ViewId id) -> {
                return conclude(rules.onDecided(state, out), out);
            }
            case BallotMessage.Learn(ViewId id, PrimaryChain.Primary last) -> {
                rules.learn(last);
                out.raise(new Signal.ViewChange.Freeze(id));
            }
            case BallotMessage.Wait(ViewId id, List<Member> asked, String reason) -> rules.stepOut(asked, reason, state, out);
        }
        return true;
    }

    // ------------------------------------------------------------------ transitions

    /** Promises a ballot, which freezes this member until the ballot's view is installed [R4, decision D4]. */
    private void promise(MemberState.Promise promise) {
        state = state.promise(promise);
        if (primary != null) {
            primary.onPromise();
        }
        // A session that is down now stays on the list: a view must not begin with it and forget it [D10].
        lost = new TreeSet<>(closed);
        peers.onPromise();
        proposer.hurry();
    }

    /** Starts from a record, of a group with a primary partition. */
    void onLoaded(@Nullable Packet record, Outbox out) {
        ViewId recorded = primary == null ? null : primary.load(record, out);
        if (recorded != null && state instanceof MemberState.Answered answered) {
            state = answered.raise(recorded);
        }
    }

    /** Answers {@code id} after the layer above has stopped, unless a newer ballot has come meanwhile. */
    void onFrozen(ViewId id, TreeMap<Member, Long> received, Outbox out) {
        if (!id.equals(state.promised())) {
            return;
        }
        if (primary == null) {
            answer(id, new Ballot.Answer(state.view(), received), out);
        } else {
            primary.storeAnswer(state, received, out);
        }
    }

    /** Takes the step that was waiting for the record to be stored. */
    void onStored(long number, Outbox out) {
        if (primary == null) {
            return;
        }
        switch (primary.onStored(number)) {
            case null -> {
                // A newer promise has come meanwhile, or nothing was waiting.
            }
            case PrimaryChain.Answer(ViewId id, View view, TreeMap<Member, Long> received, PrimaryChain.Vote vote) ->
                answer(id, new Ballot.Answer(view, received, vote), out);
            case PrimaryChain.Acceptance(ViewId id) -> {
                if (proposer.runs(id)) {
                    take(proposer.onAccepted(id, self, out), out);
                } else {
                    Control.send(Control.note(MembershipMessage.ACCEPTED, id), id.proposer(), out);
                }
            }
            case PrimaryChain.Installation(View installed) -> primary.onRecorded(installed, out);
        }
    }

    private void answer(ViewId id, Ballot.Answer answer, Outbox out) {
        View view = state.view();
        advertiser.onAnswering(id, view);
        // The coordinator that decides on this answer must already know everything else.
        advertise(out);
        if (!lost.isEmpty()) {
            proposer.hurry();
        }
        if (proposer.runs(id)) {
            take(proposer.onOwnAnswer(answer, standing(), out), out);
        } else if (peers.contains(id.proposer())) {
            boolean isWhole = !view.id().equals(state.proposersView()) && !view.equals(View.alone(self));
            Control.send(Control.ack(id, answer, isWhole), id.proposer(), out);
        }
    }

    /** Takes a cut if it is for the ballot last promised and for this member's view [R8, decision D6]. */
    private boolean takeCut(BallotMessage.Cut cut, Outbox out) {
        MemberState.CatchingUp catchingUp = state.take(cut, self);
        if (catchingUp == null) {
            return false;
        }
        state = catchingUp;
        out.raise(new Signal.ViewChange.Flush(cut.ballot(), catchingUp.part().cut(), cut.holders()));
        return true;
    }

    /** Installs the view that was decided, now that all packets up to its cut are here; a proposed one is accepted. */
    void onFlushed(ViewId id, Outbox out) {
        boolean isDecided = primary != null && primary.isProposed()
                ? primary.onFlushed(id, state, out)
                : id.equals(state.promised());
        if (isDecided && state instanceof MemberState.CatchingUp catchingUp) {
            install(catchingUp, out);
        }
    }

    private boolean conclude(PrimaryPartition.@Nullable Conclusion conclusion, Outbox out) {
        if (conclusion == PrimaryPartition.Conclusion.INSTALLABLE && state instanceof MemberState.CatchingUp catchingUp) {
            install(catchingUp, out);
        } else if (conclusion == PrimaryPartition.Conclusion.ENDED) {
            proposer.giveUp(out);
        }
        return conclusion != null;
    }

    private void install(MemberState.CatchingUp flushed, Outbox out) {
        state = flushed.install();
        View view = state.view();
        boolean isCompletion = primary == null || primary.onInstall(view, state.promised(), out);
        viewsInstalled++;
        peers.install(view, flushed.cut().since());
        advertiser.onInstalled(view, peers.joined());
        boolean isIdle = Ballot.isIdle(view);
        if (!isIdle) {
            advertiser.confirm();
        }
        isViewStable = false;
        proposer.hurry();
        if (state.isSteady()) {
            proposer.onSteady();
            forgetOutsiders(view);
        }
        announce(out);
        if (!state.isSteady() && !isCompletion) {
            // The decided view was proposed by an older ballot; another ballot has to follow.
            proposer.giveUp(out);
        } else if (!state.isSteady()) {
            // An older proposal was completed under a newer ballot, which wants its answer again [R9].
            out.raise(new Signal.ViewChange.Freeze(state.promised()));
        } else if (isIdle) {
            isViewStable = true;
            out.raise(new Signal.ViewChange.ViewStable(view));
        }
    }

    /**
     * Forgets lost members outside of the view, or those that are gone for good would add up. Should one of them be in a
     * later view, its session must have been open since the promise to that one [D10].
     */
    private void forgetOutsiders(View view) {
        closed.removeIf(member -> !peers.isInView(member));
        lost.removeIf(member -> !peers.isInView(member));
        for (Member member : view.members()) {
            if (!member.equals(self) && !peers.isUnbroken(member)) {
                lost.add(member);
            }
        }
    }

    private void announce(Outbox out) {
        version = peers.version(state.view());
        Signal.ViewChange.Installed installed = new Signal.ViewChange.Installed(state.view(), version, state.isSteady());
        out.lower(installed);
        out.raise(installed);
    }

    // ------------------------------------------------------------------ stability of the view

    /**
     * Announces that all members have installed the view, after which none can ask for packets of the previous one
     * [R5]. The coordinator learns it from each member and tells all.
     */
    void noticeViewStable(Outbox out) {
        View view = state.view();
        if (isViewStable || !peers.follows().equals(self)) {
            return;
        }
        if (!peers.haveInstalled(view)) {
            return;
        }
        isViewStable = true;
        out.raise(new Signal.ViewChange.ViewStable(view));
        List<Member> others = new ArrayList<>(view.members());
        others.remove(self);
        Control.send(Control.followed(view.id(), version), others, out);
    }

    private @Nullable DropReason onViewStable(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        return packet.isMalformed() ? DropReason.MALFORMED : onViewStable(from, id.equals(state.view().id()), out);
    }

    private @Nullable DropReason onTagStable(Member from, Packet packet, Outbox out) {
        if (peers.version() < MembershipMessage.TAG_STABLE_VERSION) {
            return DropReason.MALFORMED;
        }
        boolean isOfView = Wire.takesTag(packet, state.view().id());
        return packet.isMalformed() ? DropReason.MALFORMED : onViewStable(from, isOfView, out);
    }

    /** @param isOfView whether the installed view is meant */
    private @Nullable DropReason onViewStable(Member from, boolean isOfView, Outbox out) {
        View view = state.view();
        if (!peers.isInView(from) || !from.equals(peers.follows()) && !from.equals(view.id().proposer())) {
            return isOfView ? DropReason.FORGED : DropReason.OLD_VIEW;
        }
        if (isOfView && !isViewStable) {
            isViewStable = true;
            out.raise(new Signal.ViewChange.ViewStable(view));
        }
        return null;
    }

    void report(Report section) {
        section.put("view", state.view().id().toString());
        section.put("members", state.view().members().toString());
        section.put("state", state.label());
        section.put("promised", state.promised().toString());
        section.put("follows", peers.follows().toString());
        section.put("sessions", peers.all().size());
        section.put("views-installed", viewsInstalled);
        section.put("version", version);
        proposer.report(section);
        section.put("adverts-sent", advertiser.advertsSent());
    }
}
