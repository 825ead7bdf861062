package dev.tutti.campaign.chaos.journal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The views of a run in which processes leave and join, and none is ever lost.
 *
 * <p>From the first view of all processes on there is one sequence of views: no number is used twice, each view has one
 * member more or one less than the view before, and the views of each process are a part of the sequence without gaps.
 * Only the view of itself alone with which a process begins is outside of it.
 */
public final class ViewSequence {

    /**
     * A view as a process has seen it.
     *
     * @param number number of the view, which its id begins with
     */
    public record Seen(long number, String id, Set<String> members) {

        /** @param id id of the view in {@link Notation} */
        public static Seen of(String id, List<String> members) {
            return new Seen(Long.parseLong(id.substring(0, id.indexOf('.'))), id, Set.copyOf(members));
        }
    }

    /** Views of one process, in order. */
    public record Life(String name, List<Seen> views) {}

    private final List<String> violations = new ArrayList<>();
    private final TreeMap<Long, Seen> sequence = new TreeMap<>();

    private ViewSequence() {}

    /**
     * Returns the violations; empty if there are none.
     *
     * @param processes number of processes of the first view of all
     */
    public static List<String> violations(List<Life> lives, int processes) {
        ViewSequence sequence = new ViewSequence();
        Seen first = first(lives, processes);
        if (first == null) {
            return List.of("there was no view of all " + processes + " processes");
        }
        List<Life> later = lives.stream().map(life -> new Life(life.name(), since(first, life))).toList();
        later.forEach(sequence::collect);
        sequence.checkSteps();
        later.forEach(sequence::checkLife);
        return sequence.violations;
    }

    private static @Nullable Seen first(List<Life> lives, int processes) {
        Seen first = null;
        for (Life life : lives) {
            for (Seen view : life.views()) {
                if (view.members().size() == processes && (first == null || view.number() < first.number())) {
                    first = view;
                }
            }
        }
        return first;
    }

    /** Returns the views from the first one of all on, without the one with which a process begins. */
    private static List<Seen> since(Seen first, Life life) {
        List<Seen> views = new ArrayList<>(life.views());
        views.removeIf(view -> view.number() < first.number());
        return views;
    }

    private void collect(Life life) {
        for (Seen view : life.views()) {
            Seen known = sequence.putIfAbsent(view.number(), view);
            if (known != null && !known.equals(view)) {
                violations.add("two views have number " + view.number() + ": " + known + ", and at " + life.name() + " " + view);
            }
        }
    }

    private void checkSteps() {
        Seen before = null;
        for (Seen view : sequence.values()) {
            if (before != null && !isStep(before.members(), view.members())) {
                violations.add("view " + view + " differs from " + before + " by more than one member");
            }
            before = view;
        }
    }

    private static boolean isStep(Set<String> before, Set<String> after) {
        Set<String> larger = new HashSet<>(before.size() > after.size() ? before : after);
        Set<String> smaller = before.size() > after.size() ? after : before;
        return larger.size() == smaller.size() + 1 && larger.containsAll(smaller);
    }

    private void checkLife(Life life) {
        Seen before = null;
        for (Seen view : life.views()) {
            Long expected = before == null ? null : sequence.higherKey(before.number());
            if (expected != null && expected != view.number()) {
                violations.add(life.name() + " came from view " + before + " to " + view + ", and others to " + sequence.get(expected));
            }
            before = view;
        }
    }
}
