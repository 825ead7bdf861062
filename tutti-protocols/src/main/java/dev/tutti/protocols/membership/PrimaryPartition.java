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
import dev.tutti.protocols.membership.primary.Departures;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import dev.tutti.protocols.membership.primary.VoteCount;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A member's part in ballots where only a majority of the last view goes on: it accepts the proposed view before it
 * installs it, stores a record before an answer or an acceptance is sent, and waits outside of the primary partition
 * (docs/design/primary.md). The state of the member is passed in; it changes only by what this class returns.
 */
final class PrimaryPartition {

    /** Consequence of a decision for this member. */
    enum Conclusion {
        /** Packets up to the cut are still missing: the view is installed when they are here. */
        FETCHING,
        /** The view is installed now. */
        INSTALLABLE,
        /** This member can't come to the view, and only learns that its own has ended. */
        ENDED
    }

    private static final String ALL_LEAVE = "left, as all others do or have done";

    private final Member self;
    private final Peers peers;
    private final Members known;
    private final PrimaryChain chain;
    private final Departures departures;

    /** Proposal of the ballot last promised; null if it is not known. */
    private PrimaryChain.@Nullable Proposal proposal;

    /** All packets up to the cut of the proposal are here. */
    private boolean isFlushed;

    /** A majority has accepted the proposal. */
    private boolean isDecided;

    /** This member is outside of the primary partition and suspended, as far as it knows. */
    private boolean isOutside;

    /** A ballot that this member has promised may still make it a voter. */
    private boolean isAsked;

    /** Something has changed that may need a ballot at once. */
    private boolean hasNews;

    PrimaryPartition(Member self, Peers peers, Members known, PrimaryChain chain) {
        this.self = self;
        this.peers = peers;
        this.known = known;
        this.chain = chain;
        this.departures = new Departures(self);
    }

    /** Returns whether something has changed since the last call that may need a ballot at once. */
    boolean takeNews() {
        boolean isNew = hasNews;
        hasNews = false;
        return isNew;
    }

    // ------------------------------------------------------------------ the record

    boolean isLoaded() {
        return chain.isLoaded();
    }

    /** Starts from a record. Returns the promise on it; null if there is none. */
    @Nullable ViewId load(@Nullable Packet record, Outbox out) {
        ViewId promised;
        try {
            promised = chain.load(record, known, out.random());
        } catch (IllegalArgumentException e) {
            out.lower(new Signal.Departure.Failed("the record of this member can't be used: " + e.getMessage()));
            return null;
        }
        hasNews = true;
        out.raise(new Signal.Primary.Suspended(chain.missing()));
        return promised;
    }

    /** Stores the promise. {@link #onStored} returns the answer to be sent after that. */
    void storeAnswer(MemberState state, TreeMap<Member, Long> received, Outbox out) {
        PrimaryChain.Answer answer = new PrimaryChain.Answer(state.promised(), state.view(), received, chain.vote());
        chain.store(state.promised(), answer, out);
    }

    /** Returns the step that was waiting for the record; null if there is none, as after a newer promise. */
    PrimaryChain.@Nullable Step onStored(long number) {
        return chain.onStored(number);
    }

    /** Returns the number of the last primary view that this member knows. */
    long lastNumber() {
        return chain.last().id().number();
    }

    boolean isOutside() {
        return isOutside;
    }

    // ------------------------------------------------------------------ members of a ballot

    /** Tells leaving members that their vote is not needed any more, once the view without them is on record. */
    void release(MemberState state, Outbox out) {
        if (state.isSteady()) {
            for (Member member : departures.release(state.view(), chain.last())) {
                Control.send(Control.message(MembershipMessage.RELEASED, 1), member, out);
            }
        }
    }

    /** Returns the members of the next view. */
    List<Member> staying(List<Member> heard) {
        return departures.staying(heard);
    }

    /**
     * Ends a leave of this member that has no other member to wait for.
     *
     * @return whether it has stepped out of its view, so that a ballot of its own has to end
     */
    boolean endsLeave(List<Member> staying, MemberState state, Outbox out) {
        return switch (departures.exit(staying, state.view(), peers.members())) {
            case NONE -> false;
            case LEAVE -> {
                out.lower(new Signal.Departure.Left(ALL_LEAVE));
                yield false;
            }
            case STEP_OUT -> {
                stepOut(List.of(), chain.missing(), state, out);
                yield true;
            }
        };
    }

    /** Returns the leaving members that are asked for their vote on the view without them. */
    List<Member> electors(List<Member> heard, MemberState state) {
        return departures.electors(heard, state.view(), state.isSteady());
    }

    /** Returns whether this member can run a ballot: others are heard, or it is a majority alone. Else it steps out. */
    boolean canGoOn(List<Member> heard, MemberState state, Outbox out) {
        if (state.isSteady() || heard.size() > 1 || chain.isMajorityAlone(self)) {
            return true;
        }
        stepOut(List.of(), chain.missing(), state, out);
        return false;
    }

    /** Describes to people why the votes are no majority. */
    String missing(VoteCount votes) {
        return chain.missing(votes.last(), votes.present());
    }

    // ------------------------------------------------------------------ a proposal

    /** Drops the state of the previous ballot because a newer one is promised. */
    void onPromise() {
        proposal = null;
        isFlushed = false;
        isDecided = false;
        isAsked = true;
        chain.forgetStep();
    }

    /** Takes the proposal of the ballot last promised. */
    void onProposed(BallotMessage.Cut proposed) {
        List<Long> since = Arrays.stream(proposed.since()).boxed().toList();
        proposal = new PrimaryChain.Proposal(proposed.ballot(), proposed.view(), since);
    }

    boolean isProposed() {
        return proposal != null;
    }

    /**
     * Accepts the proposal once all up to the cut is here, so that a later ballot can complete it from this member.
     *
     * @return whether the proposal is decided, so that its view is installed now
     */
    boolean onFlushed(ViewId ballot, MemberState state, Outbox out) {
        PrimaryChain.Proposal flushed = proposal;
        if (flushed == null || !ballot.equals(state.promised())) {
            return false;
        }
        isFlushed = true;
        if (isDecided) {
            return state instanceof MemberState.CatchingUp;
        }
        if (chain.mayAccept(flushed.view())) {
            chain.accept(flushed);
            chain.store(ballot, new PrimaryChain.Acceptance(ballot), out);
        }
        return false;
    }

    /** Notes that the proposal of the ballot last promised is decided. Returns null if this member does not have it. */
    @Nullable Conclusion onDecided(MemberState state, Outbox out) {
        PrimaryChain.Proposal decided = proposal;
        if (decided == null) {
            return null;
        }
        isDecided = true;
        isAsked = false;
        if (state instanceof MemberState.CatchingUp) {
            return isFlushed ? Conclusion.INSTALLABLE : Conclusion.FETCHING;
        }
        // It may join the next view from its present one.
        proposal = null;
        View view = decided.view();
        chain.learn(PrimaryChain.Primary.of(view));
        chain.store(state.promised(), null, out);
        // Its members lead now, and can be followed.
        peers.list(view.id(), view.members());
        stepOut(List.of(), chain.missing(), state, out);
        return Conclusion.ENDED;
    }

    /**
     * Notes that a view is being installed.
     *
     * @param promised ballot last promised
     * @return whether this completes an older view for that ballot, which needs a new answer
     */
    boolean onInstall(View installed, ViewId promised, Outbox out) {
        boolean isCompletion = proposal == null;
        proposal = null;
        isOutside = false;
        isAsked = isCompletion;
        departures.onInstalled();
        chain.learn(PrimaryChain.Primary.of(installed));
        chain.store(promised, new PrimaryChain.Installation(installed), out);
        return isCompletion;
    }

    /** Returns whether a decided view that this member has missed can be true. */
    static boolean isPlausible(BallotMessage.Learn learn) {
        PrimaryChain.Primary last = learn.last();
        return !last.id().isAfter(learn.ballot()) && Authority.isEpoch(last.epoch());
    }

    /** Takes a decided view that this member has missed. It has to answer the ballot again. */
    void learn(PrimaryChain.Primary decided) {
        chain.learn(decided);
    }

    /**
     * Steps out of the primary partition.
     *
     * @param others members that wait as well
     */
    void stepOut(List<Member> others, String reason, MemberState state, Outbox out) {
        if (!isOutside || !others.isEmpty()) {
            isOutside = true;
            peers.stepOut(others, state.promised());
            hasNews = true;
        }
        isAsked = false;
        if (!departures.isSelfLeaving()) {
            out.raise(new Signal.Primary.Suspended(reason));
        }
    }

    // ------------------------------------------------------------------ leaving and recording

    /** Takes a message about leaving members and records of views. */
    @Nullable DropReason onMessage(int kind, Member from, MemberState state, Packet packet, Outbox out) {
        switch (kind) {
            case MembershipMessage.LEAVING -> {
                departures.onLeaving(from);
                hasNews = true;
                return null;
            }
            case MembershipMessage.RELEASED -> {
                if (departures.isSelfLeaving()) {
                    out.lower(new Signal.Departure.Left("left"));
                }
                return null;
            }
            case MembershipMessage.RECORDED -> {
                ViewId id = Wire.takeViewId(packet, known);
                if (packet.isMalformed()) {
                    return DropReason.MALFORMED;
                }
                // A coordinator has promised every ballot whose view it leads. A later id would hide the recorded ones.
                if (id.isAfter(state.promised())) {
                    return DropReason.IMPLAUSIBLE;
                }
                hasNews |= departures.onRecorded(id, from);
                return null;
            }
            default -> {
                return DropReason.MALFORMED;
            }
        }
    }

    /** Tells the coordinator of an installed view that this member has it on record. */
    void onRecorded(View installed, Outbox out) {
        Member coordinator = installed.coordinator();
        if (coordinator.equals(self)) {
            hasNews |= departures.onRecorded(installed.id(), self);
        } else {
            Control.send(Control.note(MembershipMessage.RECORDED, installed.id()), coordinator, out);
        }
    }

    void leave(Outbox out) {
        departures.leave();
        boolean hasPart = chain.isLoaded() && (chain.isVoter() || isAsked);
        boolean isAlone = peers.all().isEmpty();
        if (!hasPart || isAlone) {
            out.lower(new Signal.Departure.Left(!hasPart
                    ? "left before it was in a primary view"
                    : chain.isMajorityAlone(self)
                            ? ALL_LEAVE
                            : "left without the consent of the others, of whom it hears nobody"));
            return;
        }
        hasNews = true;
        out.arm(MembershipTimer.LEAVE, chain.leaveTimeoutNanos());
        Control.send(Control.message(MembershipMessage.LEAVING, 1), peers.members(), out);
    }

    void onLeaveTimeout(Outbox out) {
        if (departures.isSelfLeaving()) {
            out.lower(new Signal.Departure.Left("left without the consent of the others, which did not come within leave-timeout"));
        }
    }

    void onOpened(Member member, Outbox out) {
        if (departures.isSelfLeaving()) {
            Control.send(Control.message(MembershipMessage.LEAVING, 1), member, out);
        }
    }

    void onClosed(Member member, boolean isGraceful, View view) {
        departures.onClosed(member, isGraceful, view);
    }

    void report(Report section) {
        section.put("epoch", chain.last().epoch());
        section.put("last-primary", chain.last().id().toString());
        section.put("outside", isOutside ? 1 : 0);
    }
}
