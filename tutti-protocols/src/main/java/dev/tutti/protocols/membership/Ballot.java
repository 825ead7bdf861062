package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.protocols.mistake.Mistake;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A ballot that this member runs: who is asked, who has answered, and what follows from the answers (spec/VIEWCHANGE.md,
 * R6 and R7).
 */
final class Ballot {

    /**
     * A member's promise.
     *
     * @param view the view it is in
     * @param received what it delivered there without gap
     * @param vote null in groups of which each side goes on
     */
    record Answer(View view, TreeMap<Member, Long> received, Succession.@Nullable Vote vote) {
        Answer(View view, TreeMap<Member, Long> received) {
            this(view, received, null);
        }
    }

    /** A member that has to catch up with a view that others of its part have installed, and who has what it lacks. */
    record Straggler(Member member, View view, Member holder) {}

    /** The new view, and per part and sender the member to fetch from. */
    record Decision(View view, Map<ViewId, TreeMap<Member, Member>> holders) {

        TreeMap<Member, Member> holdersOf(View.Part part) {
            return holders.getOrDefault(part.previous(), new TreeMap<>());
        }
    }

    private final ViewId id;
    private final List<Member> candidates;
    private final List<Member> electors;
    private final View startedIn;
    private final Mistake mistake;
    private final TreeMap<Member, Answer> answers = new TreeMap<>();

    /** The last answer of each, also of those who have to answer again. */
    private final TreeMap<Member, Answer> said = new TreeMap<>();

    private final TreeSet<Member> silent = new TreeSet<>();

    // Groups with a primary partition.
    private boolean isWaiting;
    private boolean isDecided;
    private Succession.@Nullable Primary ends;
    private final TreeSet<Member> accepted = new TreeSet<>();

    /**
     * @param candidates by rank; in this order they are the members of the view
     * @param startedIn the view that its proposer was in
     */
    Ballot(ViewId id, List<Member> candidates, View startedIn) {
        this(id, candidates, List.of(), startedIn, Mistake.NONE);
    }

    /** @param electors who is asked and will not be in the view */
    Ballot(ViewId id, List<Member> candidates, List<Member> electors, View startedIn, Mistake mistake) {
        this.id = id;
        this.startedIn = startedIn;
        this.candidates = List.copyOf(candidates);
        this.electors = List.copyOf(electors);
        this.mistake = mistake;
        if (!isAsked(id.proposer())) {
            // Its answer would stand for that of somebody who has not answered yet.
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

    /** Whose answer, or acceptance, has not come. */
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
     * @return false if the member has answered before and says nothing newer: it was told to catch up, or has nothing to say
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
        Succession.Vote vote = answer.vote();
        Succession.Vote voteBefore = before.vote();
        return answer.view().id().isAfter(before.view().id())
                || vote != null && voteBefore != null && vote.last().id().isAfter(voteBefore.last().id());
    }

    boolean isComplete() {
        return answers.size() == candidates.size() + electors.size();
    }

    /** Whether it depends on nobody's answer any more. */
    boolean isOver() {
        return isComplete() && (ends == null || isDecided);
    }

    /**
     * Those who come from a view after which another candidate, that came with them from it, has installed one: that
     * candidate holds all of their cut. Their answers are forgotten; they answer again when they have caught up. A view
     * that only members of other parts have installed is not completed (decision D3).
     *
     * <p>Who is behind itself and has what another one lacks waits: with the next view it would free the copies.
     */
    List<Straggler> takeStragglers() {
        List<Straggler> stragglers = new ArrayList<>();
        if (mistake == Mistake.IGNORE_INSTALLED) {
            return stragglers;
        }
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
            if (mistake != Mistake.STALE_ANSWER) {
                answers.remove(straggler.member());
            }
        }
        return stragglers;
    }

    /**
     * Stragglers who would have to go two ways: the view that they have to catch up with was left by somebody for a later
     * one, in which they are said to come from where they are now. Whoever goes one way with some must not go on with the
     * others before a view has separated them [S12; docs/decisions/0102-divergent-members-are-excluded.md].
     */
    List<Member> torn() {
        List<Member> torn = new ArrayList<>();
        answers.forEach((member, answer) -> {
            ViewId from = answer.view().id();
            Straggler straggler = electors.contains(member) ? null : straggler(member, from);
            if (straggler != null && answer.vote() != null && hasPassed(straggler.view(), from, answer.received())) {
                torn.add(member);
            } else if (straggler != null && mistake != Mistake.IGNORE_INSTALLED) {
                for (Answer other : answers.values()) {
                    if (other.view().id().isAfter(straggler.view().id()) && saysComesFrom(other.view(), member, from)) {
                        torn.add(member);
                        break;
                    }
                }
            }
        });
        return torn;
    }

    /**
     * Whether a member has delivered more than the cut with which others of its part have left their view. That comes about
     * where it has fetched what a proposal named that was not decided.
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

    /** The highest view that others of its part have installed, and who; null if there is none. */
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
                    && (part.members().contains(other) || mistake == Mistake.COMPLETE_ANY)) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing was sent in the views before: then there is nothing to keep for those who are behind. */
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

    /** All have answered and nobody has to catch up: the view, its parts, and who has what. */
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
                        // A lie: nobody could fetch it, and the view would never begin.
                        return;
                    }
                    if (mistake == Mistake.DROP_DEPARTED && !candidates.contains(sender)) {
                        return;
                    }
                    if (number > cut.getOrDefault(sender, 0L)) {
                        cut.put(sender, number);
                        holderOf.put(sender, mistake == Mistake.ANY_HOLDER ? members.getLast() : member);
                    }
                });
            }
            if (mistake == Mistake.LOWEST_CUT) {
                cut.replaceAll((sender, number) -> members.stream()
                        .mapToLong(member -> answer(member).received().getOrDefault(sender, 0L))
                        .reduce(number, Math::min));
            }
            parts.add(new View.Part(previous, members, cut));
            holders.put(previous, holderOf);
        });
        return new Decision(new View(id, candidates, parts), holders);
    }

    /** What a sender says to have sent in a view, if it comes from there itself; else without bound. */
    private long sentBy(Member sender, ViewId previous) {
        Answer own = answers.get(sender);
        return own != null && own.view().id().equals(previous) ? own.received().getOrDefault(sender, 0L) : Long.MAX_VALUE;
    }

    // ------------------------------------------------------------------ primary views

    Tally tally() {
        TreeMap<Member, Succession.Vote> votes = new TreeMap<>();
        answers.forEach((member, answer) -> votes.put(member, vote(answer)));
        return Tally.of(votes, mistake);
    }

    private static Succession.Vote vote(Answer answer) {
        Succession.Vote vote = answer.vote();
        if (vote == null) {
            throw new IllegalStateException("an answer without a vote, where views need a majority");
        }
        return vote;
    }

    /** The member answers again. */
    void forget(Member member) {
        answers.remove(member);
    }

    /** There is no majority among those who are asked: nothing can come of it before others come. */
    void await() {
        isWaiting = true;
    }

    boolean isWaiting() {
        return isWaiting;
    }

    /** The successor of {@code last}, as {@link #decide} has it. */
    Decision propose(Succession.Primary last) {
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

    /** What was proposed in an earlier ballot, again; with holders for what can be completed. */
    Decision propose(Succession.Primary last, View again) {
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

    /** Whether the member can go from where it is to the proposed view: it is in it, and all up to the cut can be had. */
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

    /** A member has accepted. Returns whether that makes the decision. */
    boolean accept(Member member) {
        Succession.Primary last = ends;
        if (last == null || isDecided) {
            return false;
        }
        accepted.add(member);
        TreeSet<Long> present = new TreeSet<>();
        for (Member each : accepted) {
            long voter = vote(answer(each)).in(last, each);
            if (last.voters().contains(voter) || mistake == Mistake.MAJORITY_OF_ANY) {
                present.add(voter);
            }
        }
        isDecided = last.isMajority(present);
        return isDecided;
    }

    /** Whether an answer of this member still counts. */
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
