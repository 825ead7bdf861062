package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import dev.tutti.protocols.membership.primary.VoteCount;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ballot that this member runs: the members asked, their answers, and the decision that follows (spec/VIEWCHANGE.md, R6
 * and R7).
 */
final class Ballot {

    /**
     * A member's promise.
     *
     * @param view the view it is in
     * @param received by sender, the numbers up to which it delivered there without gap
     * @param vote null in groups of which each side of a partition goes on
     */
    record Answer(View view, TreeMap<Member, Long> received, PrimaryChain.@Nullable Vote vote) {
        Answer(View view, TreeMap<Member, Long> received) {
            this(view, received, null);
        }
    }

    /** Member that has to catch up with a view that others of its part have installed, with a holder to fetch from. */
    record Straggler(Member member, View view, Member holder) {}

    /** New view, and per part and sender the member to fetch missing packets from. */
    record Decision(View view, Map<ViewId, TreeMap<Member, Member>> holders) {

        TreeMap<Member, Member> holdersOf(View.Part part) {
            return holders.getOrDefault(part.previous(), new TreeMap<>());
        }
    }

    private final ViewId id;
    private final List<Member> candidates;
    private final List<Member> electors;
    private final View startedIn;
    private final TreeMap<Member, Answer> answers = new TreeMap<>();

    /** Last answer of each member, including those that have to answer again. */
    private final TreeMap<Member, Answer> said = new TreeMap<>();

    private final TreeSet<Member> silent = new TreeSet<>();

    // Groups with a primary partition.
    private boolean isWaiting;
    private boolean isDecided;
    private PrimaryChain.@Nullable Primary ends;
    private final TreeSet<Member> accepted = new TreeSet<>();

    /**
     * @param candidates by rank; in this order they are the members of the view
     * @param startedIn view that its proposer was in
     */
    Ballot(ViewId id, List<Member> candidates, View startedIn) {
        this(id, candidates, List.of(), startedIn);
    }

    /** @param electors members that are asked and will not be in the view */
    Ballot(ViewId id, List<Member> candidates, List<Member> electors, View startedIn) {
        this.id = id;
        this.startedIn = startedIn;
        this.candidates = List.copyOf(candidates);
        this.electors = List.copyOf(electors);
        if (!isAsked(id.proposer())) {
            // Its answer would be counted in place of one that has not come yet.
            throw new IllegalArgumentException("ballot " + id + " without its proposer");
        }
    }

    ViewId id() {
        return id;
    }

    List<Member> candidates() {
        return candidates;
    }

    List<Member> electors() {
        return electors;
    }

    /** Candidates and electors. */
    List<Member> asked() {
        if (electors.isEmpty()) {
            return candidates;
        }
        List<Member> asked = new ArrayList<>(candidates);
        asked.addAll(electors);
        return asked;
    }

    View startedIn() {
        return startedIn;
    }

    boolean hasAnswered(Member member) {
        return answers.containsKey(member);
    }

    /** Notes that a member has kept this ballot waiting. Returns false if that was known. */
    boolean noteSilent(Member member) {
        return silent.add(member);
    }

    /** Returns the members whose answer, or acceptance once there is a proposal, has not come. */
    List<Member> missing() {
        List<Member> missing = new ArrayList<>();
        boolean isProposed = ends != null;
        for (Member member : asked()) {
            if (isProposed ? !accepted.contains(member) : !answers.containsKey(member)) {
                missing.add(member);
            }
        }
        return missing;
    }

    /**
     * Takes an answer.
     *
     * @return false if this is not newer than its last answer: it was told to catch up, or nothing has changed
     */
    boolean record(Member member, Answer answer) {
        Answer before = said.put(member, answer);
        if (before != null && !isNewer(answer, before)) {
            said.put(member, before);
            return false;
        }
        answers.put(member, answer);
        return true;
    }

    private static boolean isNewer(Answer answer, Answer before) {
        PrimaryChain.Vote vote = answer.vote();
        PrimaryChain.Vote voteBefore = before.vote();
        return answer.view().id().isAfter(before.view().id())
                || vote != null && voteBefore != null && vote.last().id().isAfter(voteBefore.last().id());
    }

    boolean isComplete() {
        return answers.size() == candidates.size() + electors.size();
    }

    /** Returns whether no more answers are needed. */
    boolean isOver() {
        return isComplete() && (ends == null || isDecided);
    }

    /**
     * Returns stragglers and forgets their answers; they answer again once they have caught up. A straggler is in a
     * view after which a candidate of its part has installed another one: this candidate holds all of the cut. A view
     * that only members of other parts have installed is not completed (decision D3).
     *
     * <p>A straggler that is itself a holder for another one has to wait: installing the next view would free its
     * copies.
     */
    List<Straggler> takeStragglers() {
        List<Straggler> stragglers = new ArrayList<>();
        answers.forEach((member, answer) -> {
            Straggler straggler = electors.contains(member) ? null : straggler(member, answer.view().id());
            if (straggler != null) {
                stragglers.add(straggler);
            }
        });
        Set<Member> holders = new TreeSet<>();
        stragglers.forEach(straggler -> holders.add(straggler.holder()));
        stragglers.removeIf(straggler -> holders.contains(straggler.member()));
        for (Straggler straggler : stragglers) {
            answers.remove(straggler.member());
        }
        return stragglers;
    }

    /**
     * Returns the stragglers with two diverging ways to go on: the view that they have to catch up with was left by
     * another member for a later one, which names them as coming from their present view. A member that goes one way
     * with some must not continue with the others before a view has separated them [S12; docs/decisions/0102].
     *
     * <p>A member that has gone one of these ways in a ballot without the others diverges too: it is no straggler any more,
     * and another one has left its view for a later one, which names it as coming from elsewhere (spec/README.md, findings).
     */
    List<Member> divergent() {
        List<Member> divergent = new ArrayList<>();
        answers.forEach((member, answer) -> {
            if (!electors.contains(member) && isDivergent(member, answer)) {
                divergent.add(member);
            }
        });
        return divergent;
    }

    private boolean isDivergent(Member member, Answer answer) {
        ViewId from = answer.view().id();
        Straggler straggler = straggler(member, from);
        if (straggler == null) {
            return hasStrayed(member, from);
        }
        if (answer.vote() != null && hasPassed(straggler.view(), from, answer.received())) {
            return true;
        }
        for (Answer other : answers.values()) {
            if (other.view().id().isAfter(straggler.view().id()) && saysComesFrom(other.view(), member, from)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether another member has left the view of a member for a later one that names it as coming from elsewhere. */
    private boolean hasStrayed(Member member, ViewId from) {
        for (Map.Entry<Member, Answer> other : answers.entrySet()) {
            View ahead = other.getValue().view();
            boolean isCandidate = ahead.id().isAfter(from) && ahead.contains(member) && !saysComesFrom(ahead, member, from);
            if (isCandidate && saysComesFrom(ahead, other.getKey(), from)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a member has delivered more than the cut with which others of its part have left their view. This
     * happens if it has fetched up to the cut of a proposal that was not decided.
     */
    private static boolean hasPassed(View view, ViewId previous, TreeMap<Member, Long> received) {
        for (View.Part part : view.parts()) {
            if (part.previous().equals(previous)) {
                return isBeyond(part, received);
            }
        }
        return false;
    }

    private static boolean isBeyond(View.Part part, TreeMap<Member, Long> received) {
        for (Map.Entry<Member, Long> each : received.entrySet()) {
            if (each.getValue() > part.cutOf(each.getKey())) {
                return true;
            }
        }
        return false;
    }

    private static boolean saysComesFrom(View view, Member member, ViewId previous) {
        for (View.Part part : view.parts()) {
            if (part.previous().equals(previous) && part.members().contains(member)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the highest view that others of the same part have installed, with a holder; null if there is none. */
    private @Nullable Straggler straggler(Member member, ViewId memberView) {
        Straggler straggler = null;
        for (Map.Entry<Member, Answer> other : answers.entrySet()) {
            View ahead = other.getValue().view();
            if ((straggler == null || ahead.id().isAfter(straggler.view().id()))
                    && isAhead(other.getKey(), ahead, member, memberView)) {
                straggler = new Straggler(member, ahead, other.getKey());
            }
        }
        return straggler;
    }

    private boolean isAhead(Member other, View ahead, Member member, ViewId memberView) {
        if (!ahead.id().isAfter(memberView)) {
            return false;
        }
        for (View.Part part : ahead.parts()) {
            if (part.previous().equals(memberView)
                    && part.members().contains(member)
                    && part.members().contains(other)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether nothing was sent in the previous views, so that no copies have to be kept for stragglers. */
    static boolean isIdle(View installed) {
        for (View.Part part : installed.parts()) {
            for (long number : part.cut().values()) {
                if (number > 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Decides on the view, its parts and the holders, once all have answered and none has to catch up. */
    Decision decide() {
        TreeMap<ViewId, List<Member>> groups = new TreeMap<>();
        for (Member candidate : candidates) {
            groups.computeIfAbsent(answer(candidate).view().id(), key -> new ArrayList<>())
                    .add(candidate);
        }
        List<View.Part> parts = new ArrayList<>();
        Map<ViewId, TreeMap<Member, Member>> holders = new LinkedHashMap<>();
        groups.forEach((previous, members) -> {
            TreeMap<Member, Long> cut = new TreeMap<>();
            TreeMap<Member, Member> holderOf = new TreeMap<>();
            for (Member member : members) {
                answer(member).received().forEach((sender, number) -> {
                    if (number > sentBy(sender, previous)) {
                        // The number is a lie: no member could fetch up to it, and the view would never begin.
                        return;
                    }
                    if (number > cut.getOrDefault(sender, 0L)) {
                        cut.put(sender, number);
                        holderOf.put(sender, member);
                    }
                });
            }
            parts.add(new View.Part(previous, members, cut));
            holders.put(previous, holderOf);
        });
        return new Decision(new View(id, candidates, parts), holders);
    }

    /** Returns the number up to which a sender claims to have sent in a view; no bound if it is not from there. */
    private long sentBy(Member sender, ViewId previous) {
        Answer own = answers.get(sender);
        return own != null && own.view().id().equals(previous) ? own.received().getOrDefault(sender, 0L) : Long.MAX_VALUE;
    }

    // ------------------------------------------------------------------ primary views

    VoteCount votes() {
        TreeMap<Member, PrimaryChain.Vote> votes = new TreeMap<>();
        answers.forEach((member, answer) -> votes.put(member, vote(answer)));
        return VoteCount.of(votes);
    }

    private static PrimaryChain.Vote vote(Answer answer) {
        PrimaryChain.Vote vote = answer.vote();
        if (vote == null) {
            throw new IllegalStateException("an answer without a vote, where views need a majority");
        }
        return vote;
    }

    /** Forgets the answer of a member, which will answer again. */
    void forget(Member member) {
        answers.remove(member);
    }

    /** Notes that the members asked are no majority: the ballot waits until others come. */
    void await() {
        isWaiting = true;
    }

    boolean isWaiting() {
        return isWaiting;
    }

    /** Proposes the successor of {@code last} that {@link #decide} returns. */
    Decision propose(PrimaryChain.Primary last) {
        ends = last;
        Decision decision = decide();
        List<Long> voters = new ArrayList<>();
        for (Member candidate : candidates) {
            voters.add(vote(answer(candidate)).voter());
        }
        List<Long> leaving = new ArrayList<>();
        for (Member elector : electors) {
            leaving.add(vote(answer(elector)).voter());
        }
        View view = decision.view();
        View.Primary primary = new View.Primary(last.epoch() + 1, last.id(), voters, leaving);
        return new Decision(new View(view.id(), view.members(), view.parts(), primary), decision.holders());
    }

    /** Proposes the view of an earlier ballot again, with holders for the parts that can be completed. */
    Decision propose(PrimaryChain.Primary last, View again) {
        ends = last;
        Map<ViewId, TreeMap<Member, Member>> holders = new LinkedHashMap<>();
        for (View.Part part : again.parts()) {
            TreeMap<Member, Member> holderOf = new TreeMap<>();
            part.cut().forEach((sender, number) -> {
                for (Map.Entry<Member, Answer> each : answers.entrySet()) {
                    Answer answer = each.getValue();
                    boolean hasAll = answer.received().getOrDefault(sender, 0L) >= number;
                    if (answer.view().id().equals(part.previous()) && hasAll) {
                        holderOf.put(sender, each.getKey());
                    }
                }
            });
            holders.put(part.previous(), holderOf);
        }
        return new Decision(again, holders);
    }

    /** Returns whether the member can install the proposed view: it is in it, and all up to the cut can be fetched. */
    boolean canInstall(Member member, Decision decision) {
        Answer answer = answer(member);
        for (View.Part part : decision.view().parts()) {
            if (part.previous().equals(answer.view().id()) && part.members().contains(member)) {
                boolean isComplete = decision.holdersOf(part).keySet().containsAll(part.cut().keySet());
                return isComplete && !isBeyond(part, answer.received());
            }
        }
        return false;
    }

    /** Takes the acceptance of a member. Returns whether that decides the ballot. */
    boolean accept(Member member) {
        PrimaryChain.Primary last = ends;
        if (last == null || isDecided) {
            return false;
        }
        accepted.add(member);
        TreeSet<Long> present = new TreeSet<>();
        for (Member each : accepted) {
            long voter = vote(answer(each)).in(last, each);
            if (last.voters().contains(voter)) {
                present.add(voter);
            }
        }
        isDecided = last.isMajority(present);
        return isDecided;
    }

    /** Returns whether an answer of the member still counts. */
    boolean awaits(Member member) {
        return ends == null && isAsked(member);
    }

    boolean isAsked(Member member) {
        return candidates.contains(member) || electors.contains(member);
    }

    private Answer answer(Member member) {
        Answer answer = answers.get(member);
        if (answer == null) {
            throw new IllegalStateException(member + " has not answered ballot " + id);
        }
        return answer;
    }
}
