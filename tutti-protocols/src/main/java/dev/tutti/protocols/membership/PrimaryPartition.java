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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Additions to a ballot where only a majority of the last view goes on: one more round, in which the next view is
 * proposed, accepted and then installed; a record that is stored before an answer or an acceptance is sent; and a
 * message to members that have to wait (docs/design/primary.md).
 */
final class PrimaryPartition {

    private static final int REASON_BYTES_MAX = 1_024;
    private static final String ALL_LEAVE = "left, as all others do or have done";

    private final Membership membership;
    private final Member self;
    private final Peers peers;
    private final Members known;
    private final PrimaryChain chain;

    /** Proposal of the ballot last promised; null if it is not known. */
    private PrimaryChain.@Nullable Proposal proposal;

    /** All packets up to the cut of the proposal are here. */
    private boolean isReached;

    /** A majority has accepted the proposal. */
    private boolean isDecided;

    /** This member is outside of the primary partition and suspended, as far as it knows. */
    private boolean isOutside;

    /** Members that have announced that they wait for a primary view without them. */
    private final TreeSet<Member> leaving = new TreeSet<>();

    /** Members of {@link #leaving} that were told that their vote is not needed any more. */
    private final TreeSet<Member> released = new TreeSet<>();

    /** Members of the view that have left. */
    private final TreeSet<Member> departed = new TreeSet<>();

    /** Newest view that a member has announced to have on record, and all members that have announced it. */
    private @Nullable ViewId recorded;

    private final TreeSet<Member> recordedBy = new TreeSet<>();

    /** A ballot that this member has promised may still make it a voter. */
    private boolean isAsked;

    private boolean isLeaving;

    PrimaryPartition(Membership membership, Member self, Peers peers, Members known, PrimaryChain chain) {
        this.membership = membership;
        this.self = self;
        this.peers = peers;
        this.known = known;
        this.chain = chain;
    }

    // ------------------------------------------------------------------ the record

    boolean isLoaded() {
        return chain.isLoaded();
    }

    void load(@Nullable Packet record, Outbox out) {
        try {
            ViewId before = chain.load(record, known, out.random());
            if (before != null) {
                membership.raisePromise(before);
            }
        } catch (IllegalArgumentException e) {
            out.lower(new Signal.Failed("the record of this member can't be used: " + e.getMessage()));
            return;
        }
        membership.look();
        out.raise(new Signal.Suspended(chain.missing(0)));
    }

    /** Sends the answer once the promise is stored. */
    void answer(ViewId id, TreeMap<Member, Long> received, Outbox out) {
        Ballot.Answer answer = new Ballot.Answer(membership.view(), received, chain.vote());
        chain.store(membership.promised(), new PrimaryChain.Answer(id, answer), out);
    }

    void onStored(long number, Outbox out) {
        switch (chain.onStored(number)) {
            case null -> {
                // A newer promise has come meanwhile, or nothing was waiting.
            }
            case PrimaryChain.Answer(ViewId id, Ballot.Answer answer) -> membership.answer(id, answer, out);
            case PrimaryChain.Acceptance(ViewId id) -> {
                Ballot running = membership.ballot();
                if (running == null || !running.id().equals(id)) {
                    Control.send(Control.note(MembershipMessage.ACCEPTED, id), id.proposer(), out);
                } else if (running.accept(self)) {
                    decide(running, out);
                }
            }
            case PrimaryChain.Installation(View installed) -> {
                Member coordinator = installed.coordinator();
                if (coordinator.equals(self)) {
                    onRecorded(installed.id(), self);
                } else {
                    Control.send(Control.note(MembershipMessage.RECORDED, installed.id()), coordinator, out);
                }
            }
        }
    }

    boolean isLast(ViewId id) {
        return chain.last().id().equals(id);
    }

    long lastNumber() {
        return chain.last().id().number();
    }

    boolean isOutside() {
        return isOutside;
    }

    // ------------------------------------------------------------------ when to run a ballot

    /** Returns the members of the next view, and releases those that only wait until this view is on record. */
    List<Member> staying(List<Member> heard, Outbox out) {
        release(out);
        List<Member> staying = new ArrayList<>(heard);
        staying.removeAll(leaving);
        if (isLeaving) {
            staying.remove(self);
            if (staying.isEmpty() && !isMissed()) {
                out.lower(new Signal.Left(ALL_LEAVE));
            } else if (leaving.containsAll(peers.members())) {
                // A member that needs its vote may come back, and can't follow it while its view names lost members.
                membership.giveUp(out);
                stepOut(List.of(), chain.missing(0), out);
            }
        }
        return staying;
    }

    /** Returns the leaving members, which have a vote on the view that follows them unless it is decided. */
    List<Member> electors(List<Member> heard) {
        List<Member> electors = new ArrayList<>();
        for (Member member : heard) {
            boolean isOver = membership.isSteady() && !membership.view().contains(member);
            if (leaving.contains(member) && !isOver || isLeaving && member.equals(self)) {
                electors.add(member);
            }
        }
        return electors;
    }

    /**
     * Returns whether a ballot is useful: asking the same members again would give the same answers.
     *
     * @param isOccasion whether there is a reason for one in any group
     */
    boolean isWanted(boolean isOccasion, List<Member> heard, Outbox out) {
        Ballot running = membership.ballot();
        if (running != null) {
            TreeSet<Member> present = new TreeSet<>(heard);
            boolean isOther = running.isWaiting() && !present.equals(new TreeSet<>(running.asked()));
            return isOccasion || isOther || !present.containsAll(running.electors());
        }
        boolean isSteady = membership.isSteady();
        if (!isSteady && heard.size() == 1 && !chain.isMajorityAlone(self)) {
            stepOut(List.of(), chain.missing(chain.isVoter() ? 1 : 0), out);
            return false;
        }
        return isOccasion || !isSteady;
    }

    // ------------------------------------------------------------------ deciding

    /** Proposes the next primary view once all have answered, if there is a majority of the last one. */
    void propose(Ballot running, Outbox out) {
        VoteCount votes = running.votes();
        if (!votes.behind().isEmpty()) {
            for (Member member : votes.behind()) {
                running.forget(member);
                if (member.equals(self)) {
                    learn(votes.last(), out);
                } else {
                    Control.send(Control.learn(running.id(), votes.last()), member, out);
                }
            }
        } else if (!votes.isMajority()) {
            running.await();
            membership.endProgress(out);
            Packet wait = Control.wait(running.id(), running.asked(), votes.missing());
            Control.send(wait, membership.others(running.asked()), out);
            stepOut(running.asked(), votes.missing(), out);
        } else if (votes.accepted() == null) {
            Ballot.Decision decision = running.propose(votes.last());
            send(running, decision, peers.since(decision.view()), out);
        } else {
            // The earlier proposal may have been decided.
            PrimaryChain.Proposal before = votes.accepted();
            long[] since = before.since().stream().mapToLong(Long::longValue).toArray();
            send(running, running.propose(votes.last(), before.view()), since, out);
        }
    }

    private void send(Ballot running, Ballot.Decision decision, long[] since, Outbox out) {
        View proposed = decision.view();
        membership.awaitProgress(out);
        List<Member> rest = new ArrayList<>(running.asked());
        TreeMap<Member, Member> ownHolders = null;
        for (View.Part part : proposed.parts()) {
            List<Member> together = new ArrayList<>(part.members());
            together.removeIf(member -> !running.isAsked(member) || !running.canInstall(member, decision));
            ownHolders = together.contains(self) ? decision.holdersOf(part) : ownHolders;
            rest.removeAll(together);
            Packet propose = Control.propose(running.id(), proposed, since, decision.holdersOf(part), true);
            Control.send(propose, membership.others(together), out);
        }
        Packet propose = Control.propose(running.id(), proposed, since, new TreeMap<>(), false);
        Control.send(propose, membership.others(rest), out);
        take(running.id(), proposed, since, ownHolders, out);
    }

    /** Announces the decision after a majority has accepted. */
    private void decide(Ballot running, Outbox out) {
        membership.endProgress(out);
        Control.send(Control.note(MembershipMessage.INSTALL, running.id()), membership.others(running.asked()), out);
        if (proposal != null) {
            conclude(proposal, out);
        }
    }

    // ------------------------------------------------------------------ messages

    @Nullable DropReason onMessage(int kind, Peer from, Packet packet, Outbox out) {
        switch (kind) {
            case MembershipMessage.PROPOSE -> {
                return membership.onCut(true, packet, out);
            }
            case MembershipMessage.LEAVING -> {
                leaving.add(from.member);
                membership.look();
                return null;
            }
            case MembershipMessage.RELEASED -> {
                if (isLeaving) {
                    out.lower(new Signal.Left("left"));
                }
                return null;
            }
            default -> {
                ViewId id = Wire.takeViewId(packet, known);
                return packet.isMalformed() ? DropReason.MALFORMED : onMessage(kind, id, from, packet, out);
            }
        }
    }

    private @Nullable DropReason onMessage(int kind, ViewId id, Peer from, Packet packet, Outbox out) {
        return switch (kind) {
            case MembershipMessage.ACCEPTED -> onAccepted(id, from.member, out);
            case MembershipMessage.RECORDED -> {
                // A coordinator has promised every ballot whose view it leads. A later id would hide the recorded ones.
                if (id.isAfter(membership.promised())) {
                    yield DropReason.IMPLAUSIBLE;
                }
                onRecorded(id, from.member);
                yield null;
            }
            case MembershipMessage.INSTALL -> {
                PrimaryChain.Proposal decided = proposal;
                if (decided == null || !id.equals(membership.promised())) {
                    yield DropReason.OLD_BALLOT;
                }
                conclude(decided, out);
                yield null;
            }
            case MembershipMessage.LEARN -> {
                PrimaryChain.Primary decided = PrimaryChain.takePrimary(packet, known);
                yield packet.isMalformed() ? DropReason.MALFORMED : onLearn(id, decided, out);
            }
            case MembershipMessage.WAIT -> {
                List<Member> waiting = Wire.takeMembers(packet, known);
                String reason = packet.takeText(REASON_BYTES_MAX);
                yield packet.isMalformed() ? DropReason.MALFORMED : onWait(id, waiting, reason, out);
            }
            default -> DropReason.MALFORMED;
        };
    }

    private @Nullable DropReason onAccepted(ViewId id, Member from, Outbox out) {
        Ballot running = membership.ballot();
        if (running == null || !running.id().equals(id) || !running.isAsked(from)) {
            return DropReason.OLD_BALLOT;
        }
        if (running.accept(from)) {
            decide(running, out);
        }
        return null;
    }

    private @Nullable DropReason onLearn(ViewId id, PrimaryChain.Primary decided, Outbox out) {
        if (!id.equals(membership.promised())) {
            return DropReason.OLD_BALLOT;
        }
        if (decided.id().isAfter(id) || !Authority.isEpoch(decided.epoch())) {
            return DropReason.IMPLAUSIBLE;
        }
        learn(decided, out);
        return null;
    }

    /** Takes a decided view that this member had missed, and answers again. */
    private void learn(PrimaryChain.Primary decided, Outbox out) {
        chain.learn(decided);
        out.raise(new Signal.Freeze(membership.promised()));
    }

    private @Nullable DropReason onWait(ViewId id, List<Member> waiting, String reason, Outbox out) {
        if (!id.equals(membership.promised())) {
            return DropReason.OLD_BALLOT;
        }
        stepOut(waiting, reason, out);
        return null;
    }

    // ------------------------------------------------------------------ a proposal at a member

    /** Drops the state of the previous ballot because a newer one is promised. */
    void onPromise() {
        proposal = null;
        isReached = false;
        isDecided = false;
        isAsked = true;
        chain.forgetStep();
    }

    /**
     * Takes a proposal.
     *
     * @param holders null if this member need not come to the proposed view
     */
    boolean take(ViewId id, View record, long[] since, @Nullable TreeMap<Member, Member> holders, Outbox out) {
        if (!id.equals(membership.promised())) {
            return false;
        }
        proposal = new PrimaryChain.Proposal(id, record, Arrays.stream(since).boxed().toList());
        if (holders == null || !membership.takeCut(id, record, since, holders, out)) {
            onReached(id, out);
        }
        return true;
    }

    boolean isProposed() {
        return proposal != null;
    }

    /** Accepts the proposal once all up to the cut is here, so that a later ballot can complete it from this member. */
    void onReached(ViewId id, Outbox out) {
        PrimaryChain.Proposal reached = proposal;
        if (reached == null || !id.equals(membership.promised())) {
            return;
        }
        isReached = true;
        View record = membership.target();
        if (isDecided && record != null) {
            membership.install(record, out);
        } else if (!isDecided && chain.mayAccept(reached.view())) {
            chain.accept(reached);
            chain.store(id, new PrimaryChain.Acceptance(id), out);
        }
    }

    private void conclude(PrimaryChain.Proposal decided, Outbox out) {
        isDecided = true;
        isAsked = false;
        View record = membership.target();
        if (record != null) {
            if (isReached) {
                membership.install(record, out);
            }
            return;
        }
        // This member only learns that the view has ended; it may join the next one from its present view.
        proposal = null;
        View view = decided.view();
        chain.learn(PrimaryChain.Primary.of(view));
        chain.store(membership.promised(), null, out);
        // Its members lead now, and can be followed.
        peers.list(view.id(), view.members());
        membership.giveUp(out);
        stepOut(List.of(), chain.missing(0), out);
    }

    /**
     * Notes that a view is being installed.
     *
     * @return whether this completes an older view for the ballot last promised, which needs a new answer
     */
    boolean onInstall(View record, Outbox out) {
        boolean isCompletion = proposal == null;
        proposal = null;
        isOutside = false;
        isAsked = isCompletion;
        departed.clear();
        chain.learn(PrimaryChain.Primary.of(record));
        chain.store(membership.promised(), new PrimaryChain.Installation(record), out);
        return isCompletion;
    }

    /** Steps out of the primary partition, together with {@code others}, which wait as well. */
    private void stepOut(List<Member> others, String reason, Outbox out) {
        if (!isOutside || !others.isEmpty()) {
            isOutside = true;
            membership.age(peers.stepOut(others, membership.promised()));
        }
        isAsked = false;
        if (!isLeaving) {
            out.raise(new Signal.Suspended(reason));
        }
    }

    // ------------------------------------------------------------------ leaving

    /*
     * A leaving member whose vote the others may need for a majority announces that it wants to leave, votes on a view
     * without it, and waits until the coordinator of that view releases it. That happens when a majority of the view's
     * voters has it on record, so that they can go on even after crashes. A decision alone is not enough: the remaining
     * members may crash before they know of it, and come back with records of the previous view.
     */

    void leave(Outbox out) {
        isLeaving = true;
        boolean hasPart = chain.isLoaded() && (chain.isVoter() || isAsked);
        boolean isAlone = peers.all().isEmpty();
        if (!hasPart || isAlone) {
            out.lower(new Signal.Left(!hasPart
                    ? "left before it was in a primary view"
                    : chain.isMajorityAlone(self)
                            ? ALL_LEAVE
                            : "left without the consent of the others, of whom it hears nobody"));
            return;
        }
        membership.look();
        out.arm(Membership.LEAVE, chain.leaveTimeoutNanos());
        Control.send(Control.message(MembershipMessage.LEAVING, 1), peers.members(), out);
    }

    /** Returns whether a remaining member needs this one's vote: one that is here, or in the view and may come back. */
    private boolean isMissed() {
        for (Member member : membership.view().members()) {
            if (!member.equals(self) && !leaving.contains(member) && !departed.contains(member)) {
                return true;
            }
        }
        return !leaving.containsAll(peers.members());
    }

    void onLeaveTimeout(Outbox out) {
        if (isLeaving) {
            out.lower(new Signal.Left("left without the consent of the others, which did not come within leave-timeout"));
        }
    }

    private void onRecorded(ViewId id, Member by) {
        if (recorded == null || id.isAfter(recorded)) {
            recorded = id;
            recordedBy.clear();
        }
        if (id.equals(recorded)) {
            recordedBy.add(by);
            membership.look();
        }
    }

    private void release(Outbox out) {
        View installed = membership.view();
        if (leaving.isEmpty() || !membership.isSteady() || !installed.id().equals(recorded)) {
            return;
        }
        List<Long> voters = chain.last().voters();
        TreeSet<Long> present = new TreeSet<>();
        for (int rank = 0; rank < installed.size(); rank++) {
            if (recordedBy.contains(installed.members().get(rank))) {
                present.add(voters.get(rank));
            }
        }
        if (!chain.last().isMajority(present)) {
            return;
        }
        for (Member member : leaving) {
            if (!installed.contains(member) && released.add(member)) {
                Control.send(Control.message(MembershipMessage.RELEASED, 1), member, out);
            }
        }
    }

    void onOpened(Member member, Outbox out) {
        if (isLeaving) {
            Control.send(Control.message(MembershipMessage.LEAVING, 1), member, out);
        }
    }

    void onClosed(Member member, boolean isGraceful) {
        leaving.remove(member);
        released.remove(member);
        if (isGraceful && membership.view().contains(member)) {
            departed.add(member);
        }
    }

    void report(Report section) {
        section.put("epoch", chain.last().epoch());
        section.put("last-primary", chain.last().id().toString());
        section.put("outside", isOutside ? 1 : 0);
    }
}
