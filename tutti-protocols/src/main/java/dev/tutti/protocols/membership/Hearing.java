package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Wire;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sessions that the followers of this member have with each other, as they report them: one bit for each pair. */
final class Hearing {

    /** Number of members that a peer may claim to hear; it can't have more links than nodes remember. */
    static final int HEARD_MAX = Wire.MEMBERS_MAX;

    /** Numbers given to members before those in use are counted again. */
    private static final int NUMBERS_MIN = 1 << 10;

    /** Small numbers for members, so that bit sets represent which of thousands hear each other. */
    private static final class MemberIndex {
        private final Map<Member, Integer> numbers = new HashMap<>();
        private final List<Member> members = new ArrayList<>();

        int number(Member member) {
            Integer number = numbers.get(member);
            if (number == null) {
                number = numbers.size();
                numbers.put(member, number);
                members.add(member);
            }
            return number;
        }

        Member member(int number) {
            return members.get(number);
        }

        int size() {
            return numbers.size();
        }
    }

    private final Member self;
    private MemberIndex index = new MemberIndex();

    /** Numbers in use at the last count. Peers may hear thousands of members before this one does. */
    private int numbersInUse;

    Hearing(Member self) {
        this.self = self;
    }

    // ------------------------------------------------------------------ reports

    /**
     * Takes members that a follower hears besides those that it has reported.
     *
     * @param all all peers, whose members are numbered anew once too many numbers belong to members that are gone
     * @param viewSize number of members of the installed view
     * @return false if it claims to hear too many, or has not made a complete report before
     */
    boolean add(Peer peer, List<Member> opened, Collection<Peer> all, int viewSize) {
        BitSet heard = peer.heard;
        if (heard == null || heard.cardinality() + opened.size() > HEARD_MAX) {
            return false;
        }
        compact(opened.size(), all, viewSize);
        BitSet numbered = Objects.requireNonNull(peer.heard);
        for (Member member : opened) {
            numbered.set(index.number(member));
        }
        return true;
    }

    /** Takes members that a follower does not hear any more. Returns false if it names too many, or had not reported. */
    boolean remove(Peer peer, List<Member> closed) {
        BitSet heard = peer.heard;
        if (heard == null || closed.size() > HEARD_MAX) {
            return false;
        }
        for (Member member : closed) {
            heard.clear(index.number(member));
        }
        return true;
    }

    private void compact(int more, Collection<Peer> all, int viewSize) {
        int spare = Math.max(2 * numbersInUse, 4 * (all.size() + viewSize + more));
        if (index.size() + more <= Math.max(NUMBERS_MIN, spare)) {
            return;
        }
        MemberIndex compact = new MemberIndex();
        for (Peer peer : all) {
            BitSet heard = peer.heard;
            if (heard != null) {
                BitSet renumbered = new BitSet();
                heard.stream().forEach(number -> renumbered.set(compact.number(index.member(number))));
                peer.heard = renumbered;
            }
        }
        index = compact;
        numbersInUse = compact.size();
    }

    // ------------------------------------------------------------------ candidates

    /**
     * Returns those of {@code followers} that hear, both ways, this member and all followers before them. This member is
     * always one of them, even if an older one follows it.
     *
     * @param followers this member and those that follow it, by rank
     * @param open peers by member
     */
    List<Member> candidates(List<Member> followers, Map<Member, Peer> open) {
        followers.forEach(index::number);
        BitSet heardByAllBefore = new BitSet(index.size());
        for (Member member : followers) {
            if (open.containsKey(member)) {
                heardByAllBefore.set(index.number(member));
            }
        }
        List<Member> candidates = new ArrayList<>(followers.size());
        BitSet before = new BitSet(index.size());
        before.set(index.number(self));
        BitSet unheard = new BitSet(index.size());
        for (Member member : followers) {
            if (member.equals(self)) {
                candidates.add(self);
                continue;
            }
            int number = index.number(member);
            BitSet heard = heard(open.get(member));
            unheard.clear();
            unheard.or(before);
            unheard.andNot(heard);
            if (unheard.isEmpty() && heardByAllBefore.get(number)) {
                candidates.add(member);
            }
            before.set(number);
            heardByAllBefore.and(heard);
        }
        return candidates;
    }

    private static BitSet heard(@Nullable Peer peer) {
        BitSet heard = peer == null ? null : peer.heard;
        return heard == null ? new BitSet() : heard;
    }
}
