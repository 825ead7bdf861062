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

    /** A member's promise: the view it is in, and what it delivered there without gap. */
    record Answer(View view, TreeMap<Member, Long> received) {}

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
    private final View startedIn;
    private final Mistake mistake;
    private final TreeMap<Member, Answer> answers = new TreeMap<>();

    /**
     * @param candidates by rank; in this order they are the members of the view
     * @param startedIn the view that its proposer was in
     */
    Ballot(ViewId id, List<Member> candidates, View startedIn) {
        this(id, candidates, startedIn, Mistake.NONE);
    }

    Ballot(ViewId id, List<Member> candidates, View startedIn, Mistake mistake) {
        this.id = id;
        this.startedIn = startedIn;
        this.candidates = List.copyOf(candidates);
        this.mistake = mistake;
    }

    ViewId id() {
        return id;
    }

    List<Member> candidates() {
        return candidates;
    }

    View startedIn() {
        return startedIn;
    }

    boolean hasAnswered(Member member) {
        return answers.containsKey(member);
    }

    List<Member> missing() {
        List<Member> missing = new ArrayList<>();
        for (Member candidate : candidates) {
            if (!answers.containsKey(candidate)) {
                missing.add(candidate);
            }
        }
        return missing;
    }

    void record(Member member, Answer answer) {
        answers.put(member, answer);
    }

    boolean isComplete() {
        return answers.size() == candidates.size();
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
            Straggler straggler = straggler(member, answer.view().id());
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
     * others before a view has separated them [S12; docs/decisions/0102].
     */
    List<Member> torn() {
        List<Member> torn = new ArrayList<>();
        answers.forEach((member, answer) -> {
            ViewId from = answer.view().id();
            Straggler straggler = straggler(member, from);
            if (straggler != null && mistake != Mistake.IGNORE_INSTALLED) {
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

    private Answer answer(Member member) {
        Answer answer = answers.get(member);
        if (answer == null) {
            throw new IllegalStateException(member + " has not answered ballot " + id);
        }
        return answer;
    }
}
