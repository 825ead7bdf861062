package dev.tutti.blocks.internal.calls;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A view as calls see it: its members, and the number of views for which each has been there without a break.
 *
 * <p>Messages between two members arrive as long as both go from view to view together. A member that returns from
 * another side of a partition is in the view again, but messages that were under way between the two may be lost.
 *
 * @param number counts views
 * @param since for each member of the view, the first of the epochs that it has gone through together with this member
 * @param draining members of the view that are about to leave, and are not called any more
 */
public record Epoch(int number, View view, Map<Member, Integer> since, Set<Member> draining) {

    /** Returns the first epoch of a member. */
    public static Epoch first(View view, Member self) {
        return new Epoch(0, view, Map.of(), Set.of()).next(view, self);
    }

    public Epoch next(View next, Member self) {
        int following = number + 1;
        Set<Member> together = next.transitionalSet(self);
        Map<Member, Integer> sinceThen = new HashMap<>();
        for (Member member : next.members()) {
            Integer before = since.get(member);
            sinceThen.put(member, before != null && together.contains(member) ? before : following);
        }
        Set<Member> stillDraining = new HashSet<>(draining);
        stillDraining.retainAll(sinceThen.keySet());
        return new Epoch(following, next, sinceThen, stillDraining);
    }

    /** Returns this epoch with a member that drains. */
    public Epoch withDraining(Member member) {
        Set<Member> all = new HashSet<>(draining);
        all.add(member);
        return new Epoch(number, view, since, all);
    }

    /** Returns whether the member is in the view and does not drain. */
    public boolean isCallable(Member member) {
        return contains(member) && !draining.contains(member);
    }

    public boolean contains(Member member) {
        return since.containsKey(member);
    }

    /** Returns whether {@code member} has been with this one in every view from that of {@code epoch} to this. */
    public boolean hasStayed(Member member, int epoch) {
        Integer from = since.get(member);
        return from != null && from <= epoch;
    }
}
