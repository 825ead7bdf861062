package dev.tutti.protocols.membership.primary;

import dev.tutti.core.Member;
import dev.tutti.protocols.membership.primary.PrimaryChain.Primary;
import dev.tutti.protocols.membership.primary.PrimaryChain.Proposal;
import dev.tutti.protocols.membership.primary.PrimaryChain.Vote;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Result of the votes of all members that have answered a ballot.
 *
 * @param last newest primary view that any of them knows of: the ballot decides on its successor
 * @param present its voters that are here and know of it
 * @param behind its voters that are here and do not know of it yet
 * @param accepted proposal accepted in the highest ballot, which may have been decided already; null if there is none
 */
public record VoteCount(Primary last, TreeSet<Long> present, List<Member> behind, @Nullable Proposal accepted) {

    public static VoteCount of(TreeMap<Member, Vote> votes) {
        Primary last = votes.firstEntry().getValue().last();
        for (Vote vote : votes.values()) {
            last = vote.last().id().isAfter(last.id()) ? vote.last() : last;
        }
        TreeSet<Long> present = new TreeSet<>();
        List<Member> behind = new ArrayList<>();
        Proposal highest = null;
        for (var entry : votes.entrySet()) {
            Vote vote = entry.getValue();
            boolean isVoter = last.voters().contains(vote.in(last, entry.getKey()));
            if (!vote.last().equals(last)) {
                if (isVoter) {
                    behind.add(entry.getKey());
                }
                continue;
            }
            if (isVoter) {
                present.add(vote.in(last, entry.getKey()));
            }
            Proposal accepted = vote.accepted();
            if (accepted != null && (highest == null || accepted.ballot().isAfter(highest.ballot()))) {
                highest = accepted;
            }
        }
        return new VoteCount(last, present, behind, highest);
    }

    public boolean isMajority() {
        return last.isMajority(present);
    }
}
