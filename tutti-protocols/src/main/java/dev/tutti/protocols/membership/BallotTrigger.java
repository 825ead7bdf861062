package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.List;
import java.util.TreeSet;

/**
 * Decides whether a coordinator has to run a ballot, from its present knowledge [R3].
 *
 * @param view view that it has installed
 * @param promised its own promise
 * @param lost members that it has lost itself
 */
record BallotTrigger(Peers peers, View view, ViewId promised, TreeSet<Member> lost) {

    boolean isNeeded(List<Member> candidates) {
        return !new TreeSet<>(candidates).equals(new TreeSet<>(view.members())) || isUnsettled(candidates, candidates);
    }

    /** Returns whether a running ballot must be restarted. Newcomers do not cause that: they wait for the next one. */
    boolean mustRestart(Ballot running, List<Member> candidates) {
        // A set makes one look-up for each of thousands; the list would be searched from the beginning.
        if (!new TreeSet<>(candidates).containsAll(running.candidates())) {
            return true;
        }
        for (Member member : candidates) {
            if (promised(member).isAfter(running.id())
                    || (running.hasAnswered(member) && hasLostOneOf(member, running.candidates()))) {
                return true;
            }
        }
        return false;
    }

    boolean isOnlyGrowth(List<Member> candidates) {
        return new TreeSet<>(candidates).containsAll(view.members()) && !isUnsettled(view.members(), candidates);
    }

    private boolean isUnsettled(List<Member> members, List<Member> candidates) {
        for (Member member : members) {
            if (!promised(member).equals(view.id()) || hasLostOneOf(member, candidates)) {
                return true;
            }
        }
        return false;
    }

    private ViewId promised(Member member) {
        Peer peer = peers.get(member);
        return peer == null ? promised : peer.promised;
    }

    private boolean hasLostOneOf(Member member, List<Member> others) {
        Peer peer = peers.get(member);
        TreeSet<Member> memberLost = peer == null ? lost : peer.lost;
        if (memberLost.isEmpty()) {
            return false;
        }
        for (Member other : others) {
            if (memberLost.contains(other)) {
                return true;
            }
        }
        return false;
    }
}
