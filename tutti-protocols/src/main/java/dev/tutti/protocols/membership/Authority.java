package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Validates messages of peers in a view change: which member may send one, which members it may name, and which numbers
 * in it are plausible. {@code docs/design/peers.md} has the table of all messages.
 */
final class Authority {

    /** Highest number of a view, a ballot or an epoch that is taken from a peer. */
    static final long NUMBER_MAX = 1L << 62;

    /**
     * Highest distance of a number from this member's own, once this member has been in a view with others or has
     * answered a ballot. A lie can raise the numbers of a group by this much, so it takes 2^30 lies to exhaust them.
     */
    static final long JUMP_MAX = 1L << 32;

    /** Number of members without a session that are remembered, since a decision may still name them. */
    private static final int GONE_MAX = 4_096;

    private final Member self;
    private final Members known;
    private final Peers peers;
    private final LinkedHashSet<Member> gone = new LinkedHashSet<>();

    Authority(Member self, Members known, Peers peers) {
        this.self = self;
        this.known = known;
        this.peers = peers;
    }

    void onClosed(Member member) {
        gone.addLast(member);
        if (gone.size() > GONE_MAX) {
            gone.removeFirst();
        }
    }

    // ------------------------------------------------------------------ who may send what

    /** Returns why a message of this kind must not be taken from its sender; null if it may. */
    @Nullable DropReason objection(int kind, Member from, Packet packet) {
        boolean isOfProposer =
                switch (kind) {
                    case MembershipMessage.PREPARE, MembershipMessage.CUT, MembershipMessage.PROPOSE, MembershipMessage.INSTALL, MembershipMessage.LEARN, MembershipMessage.WAIT -> true;
                    default -> false;
                };
        return isOfProposer && !proposer(packet).equals(from) ? DropReason.FORGED : null;
    }

    /** Returns the proposer of the ballot that a message begins with, and leaves the message unread. */
    private Member proposer(Packet packet) {
        int length = packet.length();
        Member proposer = Wire.takeViewId(packet, known).proposer();
        packet.untake(length - packet.length());
        return proposer;
    }

    /** Returns why an advert is implausible; null if it is not. */
    @Nullable DropReason objection(Member from, Advert advert, long own) {
        long joined = advert.joined();
        long number = advert.view().number();
        boolean isAge = joined == Advert.NOT_YET || joined == Advert.OUTSIDE || 1 < joined && joined <= number;
        if (!isPlausible(advert.view(), own) || !isPlausible(advert.promised(), own) || !isAge) {
            return DropReason.IMPLAUSIBLE;
        }
        boolean isFirst = number > 1 || advert.view().equals(View.alone(from).id());
        return isFirst && !advert.view().isAfter(advert.promised()) ? null : DropReason.FORGED;
    }

    /**
     * Returns why an answer is implausible; null if it is not.
     *
     * @param view view that the sender claims to be in
     * @param received numbers that it claims to have delivered there
     */
    @Nullable DropReason objection(Member from, ViewId ballot, View view, TreeMap<Member, Long> received) {
        if (view.id().number() < 1 || view.id().isAfter(ballot)) {
            return DropReason.IMPLAUSIBLE;
        }
        Set<Member> members = new HashSet<>(received.isEmpty() ? Set.of() : view.members());
        boolean isOfView = members.containsAll(received.keySet());
        for (long number : received.values()) {
            if (number > NUMBER_MAX) {
                return DropReason.IMPLAUSIBLE;
            }
        }
        return isOfView && view.contains(from) ? null : DropReason.FORGED;
    }

    /** Returns why a vote is implausible; null if it is not. All that it names must be older than the ballot. */
    static @Nullable DropReason objection(ViewId ballot, PrimaryChain.@Nullable Vote vote) {
        if (vote == null) {
            return null;
        }
        PrimaryChain.Proposal accepted = vote.accepted();
        boolean isPast = !vote.last().id().isAfter(ballot) && (accepted == null || !accepted.ballot().isAfter(ballot));
        return isPast && isEpoch(vote.last().epoch()) ? null : DropReason.IMPLAUSIBLE;
    }

    static boolean isEpoch(long epoch) {
        return 0 <= epoch && epoch <= NUMBER_MAX;
    }

    /**
     * Returns why a view that a ballot has decided on, or that it completes, is implausible; null if it is not.
     *
     * @param isProposal the view may have been proposed in an earlier ballot, to members that have restarted since
     */
    @Nullable DropReason objection(BallotMessage.Cut cut, boolean isProposal) {
        View record = cut.view();
        ViewId ballot = cut.ballot();
        if (record.id().isAfter(ballot) || record.id().number() < 1) {
            return DropReason.IMPLAUSIBLE;
        }
        for (long number : cut.since()) {
            if (number < 1) {
                return DropReason.IMPLAUSIBLE;
            }
        }
        boolean isOfOthers = isProposal && !record.id().equals(ballot);
        Set<Member> members = new HashSet<>();
        for (Member member : record.members()) {
            if (!members.add(member) || !isOfOthers && !isKnown(member)) {
                return DropReason.FORGED;
            }
        }
        Set<Member> placed = new HashSet<>();
        for (View.Part part : record.parts()) {
            for (Member member : part.members()) {
                if (!placed.add(member)) {
                    return DropReason.FORGED;
                }
            }
            if (part.cut().values().stream().anyMatch(number -> number > NUMBER_MAX)) {
                return DropReason.IMPLAUSIBLE;
            }
        }
        return null;
    }

    /** Returns whether a member is known. Names, which are no part of identities, must match if there is a session. */
    private boolean isKnown(Member member) {
        if (member.equals(self)) {
            return member.name().equals(self.name());
        }
        Peer peer = peers.get(member);
        if (peer != null) {
            return member.name().equals(peer.member.name());
        }
        return peers.isInView(member) || gone.contains(member);
    }

    // ------------------------------------------------------------------ numbers

    /**
     * Returns whether a number is plausible.
     *
     * @param own the highest number of a view or a ballot that this member has taken part in; 1 if it is new, and may meet a
     *     group of any age
     */
    static boolean isPlausible(ViewId id, long own) {
        return 0 <= id.number() && id.number() <= limit(own) && 0 <= id.attempt();
    }

    /** Returns the highest number that is plausible for a member whose own is {@code own}. */
    static long limit(long own) {
        return own <= 1 ? NUMBER_MAX : Math.min(own, Long.MAX_VALUE - 2 * JUMP_MAX) + JUMP_MAX;
    }
}
