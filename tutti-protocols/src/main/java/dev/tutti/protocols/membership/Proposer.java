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
import dev.tutti.protocols.membership.primary.VoteCount;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the ballots of a member that coordinates: starts one when it is needed [R3, R4], collects the answers, lets
 * stragglers catch up [R6], and decides [R7].
 *
 * <p>It asks its own member like all others. Messages to others are sent; the message to the member itself, of which a
 * step has one at most, is returned.
 */
final class Proposer {

    /**
     * Knowledge of its member that a ballot depends on.
     *
     * @param floor highest number of a view that it knows to be in the past
     * @param lost members whose session was lost since its promise
     */
    record Standing(MemberState state, long floor, TreeSet<Member> lost) {

        /** Returns the highest number of a view or a ballot that the member has taken part in. */
        long number() {
            return Math.max(floor, state.promised().number());
        }
    }

    /** Consecutive refusals of one member that count as no answer. Two coordinators agree after fewer. */
    private static final int REFUSALS_MAX = 8;

    private final Member self;
    private final Membership.Timing timing;
    private final Members known;
    private final Peers peers;
    private final Authority authority;
    private final Trust trust;
    private final BallotPacing pacing;

    /** Rules of the primary partition; null where each side of a partition goes on. */
    private final @Nullable PrimaryPartition primary;

    private @Nullable Ballot ballot;
    private boolean wasCoordinator;

    /** A change may need a ballot at once; otherwise there are newcomers at most. */
    private boolean isUrgent;

    private long ballotsStarted;
    private long ballotsRefused;
    private long stragglersCompleted;

    Proposer(
            Member self,
            Membership.Timing timing,
            Members known,
            Peers peers,
            Authority authority,
            Trust trust,
            @Nullable PrimaryPartition primary) {
        this.self = self;
        this.timing = timing;
        this.known = known;
        this.peers = peers;
        this.authority = authority;
        this.trust = trust;
        this.pacing = new BallotPacing(self, peers, timing, trust.unsettled());
        this.primary = primary;
    }

    // ------------------------------------------------------------------ what happens

    /** Notes a change that may need a ballot at once. */
    void hurry() {
        isUrgent = true;
    }

    /** Notes that a session, a follower, or a session of a follower was added. */
    void onGrowth() {
        pacing.onGrowth();
    }

    /** Notes that this member has installed a view and promised nothing beyond it. */
    void onSteady() {
        ballot = null;
        pacing.onSteady();
    }

    /** Notes that this member has promised a ballot of another one, which ends its own. */
    void onPromised(Outbox out) {
        ballot = null;
        out.disarm(MembershipTimer.PROGRESS);
    }

    void onTimer(MembershipTimer timer, Outbox out) {
        if (timer == MembershipTimer.PROGRESS) {
            expelSilent(out);
        } else {
            pacing.onTimer(timer, out);
        }
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
                out.lower(new Signal.Peer.Expel(member, "no answer to ballot " + running.id() + " within ballot-timeout"));
            }
        }
        out.arm(MembershipTimer.PROGRESS, timing.ballotTimeoutNanos());
    }

    // ------------------------------------------------------------------ starting

    /** Starts or restarts a ballot if one is needed [R3]. */
    @Nullable BallotMessage consider(Standing own, Outbox out) {
        boolean isCoordinator = peers.follows().equals(self);
        isUrgent |= isCoordinator && !wasCoordinator;
        wasCoordinator = isCoordinator;
        if (isCoordinator && !isUrgent && !pacing.mustLook(ballot == null || ballot.isWaiting(), out)) {
            return null;
        }
        isUrgent = false;
        List<Member> heard = isCoordinator ? peers.candidates() : List.of();
        List<Member> candidates = primary == null ? heard : staying(primary, heard, own, out);
        BallotTrigger trigger = new BallotTrigger(peers, own.state().view(), own.state().promised(), own.lost());
        if (candidates.isEmpty() || !isWanted(trigger, candidates, heard, own, out)) {
            pacing.end(out);
            return null;
        }
        if (pacing.isBackingOff(out)) {
            isUrgent = true;
            return null;
        }
        if (pacing.mustHoldBack(out)) {
            return null;
        }
        if (pacing.mustAwaitAgreement(heard, out)) {
            giveUp(out);
            return null;
        }
        boolean isGrowth = ballot == null
                ? trigger.isOnlyGrowth(candidates)
                : ballot.isWaiting() && new TreeSet<>(heard).containsAll(ballot.asked());
        if (isGrowth && pacing.mustGather(out)) {
            return null;
        }
        return start(candidates, primary == null ? List.of() : primary.electors(heard, own.state()), own, out);
    }

    private List<Member> staying(PrimaryPartition rules, List<Member> heard, Standing own, Outbox out) {
        rules.release(own.state(), out);
        List<Member> staying = rules.staying(heard);
        if (rules.endsLeave(staying, own.state(), out)) {
            giveUp(out);
        }
        return staying;
    }

    private boolean isWanted(
            BallotTrigger trigger, List<Member> candidates, List<Member> heard, Standing own, Outbox out) {
        Ballot running = ballot;
        boolean isNeeded = running == null ? trigger.isNeeded(candidates) : trigger.mustRestart(running, candidates);
        if (primary == null) {
            return isNeeded;
        }
        if (running == null) {
            return primary.canGoOn(heard, own.state(), out) && (isNeeded || !own.state().isSteady());
        }
        // To ask the same members again would give the same answers.
        TreeSet<Member> present = new TreeSet<>(heard);
        boolean isOther = running.isWaiting() && !present.equals(new TreeSet<>(running.asked()));
        return isNeeded || isOther || !present.containsAll(running.electors());
    }

    /** Ends a ballot that has to be restarted, as after a refusal: it must not decide on members that disagree. */
    void giveUp(Outbox out) {
        if (ballot != null) {
            ballot = null;
            out.disarm(MembershipTimer.PROGRESS);
        }
    }

    private BallotMessage start(List<Member> candidates, List<Member> electors, Standing own, Outbox out) {
        List<Member> asked = new ArrayList<>(candidates);
        asked.addAll(electors);
        View view = own.state().view();
        ViewId highest = pacing.highest(own.state().promised());
        long number = own.floor();
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
        out.arm(MembershipTimer.PROGRESS, timing.ballotTimeoutNanos());
        ballot = new Ballot(id, candidates, electors, view);
        Control.send(Control.prepare(id, view.id()), others(asked), out);
        return new BallotMessage.Prepare(id, view.id());
    }

    // ------------------------------------------------------------------ answers

    /** Returns whether this ballot of the member itself is running. */
    boolean runs(ViewId id) {
        return ballot != null && ballot.id().equals(id);
    }

    /** Takes the answer of this member to its own ballot. */
    @Nullable BallotMessage onOwnAnswer(Ballot.Answer answer, Standing own, Outbox out) {
        if (ballot != null) {
            ballot.record(self, answer);
        }
        return advance(own, out);
    }

    /** Takes an answer. {@link #advance} follows unless there is an objection. */
    @Nullable DropReason onAck(Peer from, Packet packet, Outbox out) {
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
        if (ballot == null || answerView == null || !ballot.id().equals(id) || !ballot.awaits(from.member)) {
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
        out.arm(MembershipTimer.PROGRESS, timing.ballotTimeoutNanos());
        return null;
    }

    /** Takes a refusal, which ends the ballot. Another one follows after a pause. */
    @Nullable DropReason onNack(Peer from, Packet packet, Standing own, Outbox out) {
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
        if (!Authority.isPlausible(otherPromised, own.number()) || otherNumber > Authority.limit(own.number())) {
            return DropReason.IMPLAUSIBLE;
        }
        ballotsRefused++;
        from.refusals++;
        if (from.refusals >= REFUSALS_MAX) {
            from.refusals = 0;
            trust.leaveOut(from.member, "it has refused " + REFUSALS_MAX + " ballots in a row", out);
        }
        giveUp(out);
        isUrgent = true;
        // A record may have a number that no advert has announced.
        boolean isPast = primary != null && otherNumber == otherPromised.number();
        pacing.onRefused(isPast ? new ViewId(otherNumber, Integer.MAX_VALUE, self) : otherPromised, otherNumber, out);
        return null;
    }

    // ------------------------------------------------------------------ deciding

    /** Lets the stragglers catch up once all have answered [R6], or decides [R7]. */
    @Nullable BallotMessage advance(Standing own, Outbox out) {
        Ballot running = ballot;
        if (running == null || !running.isComplete()) {
            return null;
        }
        List<Member> divergent = running.divergent();
        if (!divergent.isEmpty()) {
            return separate(running, divergent, own, out);
        }
        List<Ballot.Straggler> stragglers = running.takeStragglers();
        if (!stragglers.isEmpty()) {
            return complete(running, stragglers, out);
        }
        return primary == null ? decide(running, out) : propose(primary, running, out);
    }

    /** Starts a ballot without the divergent members; the view after the next has them again. */
    private BallotMessage separate(Ballot running, List<Member> divergent, Standing own, Outbox out) {
        List<Member> rest = new ArrayList<>(running.candidates());
        rest.removeAll(divergent);
        if (primary != null) {
            // They are asked all the same: else the remaining members might be no majority.
            return start(rest, Stream.concat(running.electors().stream(), divergent.stream()).toList(), own, out);
        }
        return start(divergent.contains(self) ? List.of(self) : rest, List.of(), own, out);
    }

    /** Sends the stragglers the views to catch up with. */
    private @Nullable BallotMessage complete(Ballot running, List<Ballot.Straggler> stragglers, Outbox out) {
        BallotMessage ownCut = null;
        for (Ballot.Straggler straggler : stragglers) {
            stragglersCompleted++;
            TreeMap<Member, Member> holders = new TreeMap<>();
            for (View.Part part : straggler.view().parts()) {
                part.cut().keySet().forEach(sender -> holders.put(sender, straggler.holder()));
            }
            long[] since = peers.since(straggler.view());
            if (straggler.member().equals(self)) {
                ownCut = new BallotMessage.Cut(running.id(), straggler.view(), since, holders);
            } else {
                Control.send(Control.cut(running.id(), straggler.view(), since, holders), straggler.member(), out);
            }
        }
        return ownCut;
    }

    private @Nullable BallotMessage decide(Ballot running, Outbox out) {
        Ballot.Decision decision = running.decide();
        View decided = decision.view();
        long[] since = peers.since(decided);
        out.disarm(MembershipTimer.PROGRESS);
        // Newcomers have nothing to fetch, so all of them get the same message.
        List<Member> newcomers = new ArrayList<>();
        BallotMessage ownCut = null;
        for (View.Part part : decided.parts()) {
            TreeMap<Member, Member> holders = decision.holdersOf(part);
            List<Member> others = others(part.members());
            if (holders.isEmpty()) {
                newcomers.addAll(others);
            } else {
                Control.send(Control.cut(running.id(), decided, since, holders), others, out);
            }
            if (part.members().contains(self)) {
                ownCut = new BallotMessage.Cut(running.id(), decided, since, holders);
            }
        }
        Control.send(Control.cut(running.id(), decided, since, new TreeMap<>()), newcomers, out);
        return ownCut;
    }

    private List<Member> others(List<Member> members) {
        List<Member> others = new ArrayList<>(members);
        others.remove(self);
        return others;
    }

    // ------------------------------------------------------------------ deciding on primary views

    /** Proposes the next primary view if there is a majority of the last one. */
    private @Nullable BallotMessage propose(PrimaryPartition rules, Ballot running, Outbox out) {
        VoteCount votes = running.votes();
        if (!votes.behind().isEmpty()) {
            return teach(running, votes, out);
        }
        if (!votes.isMajority()) {
            running.await();
            out.disarm(MembershipTimer.PROGRESS);
            String missing = rules.missing(votes);
            Control.send(Control.wait(running.id(), running.asked(), missing), others(running.asked()), out);
            return new BallotMessage.Wait(running.id(), running.asked(), missing);
        }
        PrimaryChain.Proposal before = votes.accepted();
        if (before == null) {
            Ballot.Decision decision = running.propose(votes.last());
            return send(running, decision, peers.since(decision.view()), out);
        }
        // The earlier proposal may have been decided.
        long[] since = before.since().stream().mapToLong(Long::longValue).toArray();
        return send(running, running.propose(votes.last(), before.view()), since, out);
    }

    /** Tells voters the last primary view, of which they do not know. They answer again. */
    private @Nullable BallotMessage teach(Ballot running, VoteCount votes, Outbox out) {
        BallotMessage ownLearn = null;
        for (Member member : votes.behind()) {
            running.forget(member);
            if (member.equals(self)) {
                ownLearn = new BallotMessage.Learn(running.id(), votes.last());
            } else {
                Control.send(Control.learn(running.id(), votes.last()), member, out);
            }
        }
        return ownLearn;
    }

    private BallotMessage send(Ballot running, Ballot.Decision decision, long[] since, Outbox out) {
        View proposed = decision.view();
        out.arm(MembershipTimer.PROGRESS, timing.ballotTimeoutNanos());
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
        Packet propose = Control.propose(running.id(), proposed, since, new TreeMap<>(), false);
        Control.send(propose, others(rest), out);
        boolean isInstallable = ownHolders != null;
        TreeMap<Member, Member> holders = ownHolders == null ? new TreeMap<>() : ownHolders;
        return new BallotMessage.Propose(new BallotMessage.Cut(running.id(), proposed, since, holders), isInstallable);
    }

    /** Returns whether a member can accept a proposal of the running ballot. */
    boolean isAsked(ViewId id, Member member) {
        Ballot running = ballot;
        return running != null && running.id().equals(id) && running.isAsked(member);
    }

    /** Takes an acceptance of the running ballot, and announces the decision once a majority has accepted. */
    @Nullable BallotMessage onAccepted(ViewId id, Member from, Outbox out) {
        Ballot running = ballot;
        if (running == null || !running.id().equals(id) || !running.accept(from)) {
            return null;
        }
        out.disarm(MembershipTimer.PROGRESS);
        Control.send(Control.note(MembershipMessage.INSTALL, id), others(running.asked()), out);
        return new BallotMessage.Install(id);
    }

    void report(Report section) {
        section.put("ballots-started", ballotsStarted);
        section.put("ballots-refused", ballotsRefused);
        section.put("stragglers-completed", stragglersCompleted);
    }
}
