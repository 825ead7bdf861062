package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Message of the proposer of a ballot to the members that it asks. Those to others are sent by {@link Control}; the
 * proposer's own member takes its one directly.
 */
sealed interface BallotMessage {

    ViewId ballot();

    /** @param view view of the proposer, which an answer need not describe */
    record Prepare(ViewId ballot, ViewId view) implements BallotMessage {}

    /**
     * View that the receivers have to install.
     *
     * @param view the view, which is of an earlier ballot if the receivers are stragglers
     * @param since by rank in the view, the view since which each member has been with others
     * @param holders by sender, the member to fetch missing packets from
     */
    record Cut(ViewId ballot, View view, long[] since, TreeMap<Member, Member> holders) implements BallotMessage {

        /** Returns the part of the view with a member that comes from {@code previous}; null if there is none. */
        View.@Nullable Part partOf(Member member, ViewId previous) {
            for (View.Part part : view.parts()) {
                if (part.previous().equals(previous) && part.members().contains(member)) {
                    return part;
                }
            }
            return null;
        }
    }

    /** Message of groups in which a view needs a majority. */
    sealed interface OfPrimary extends BallotMessage {}

    /**
     * Primary view that the receivers have to accept.
     *
     * @param isInstallable whether they come to it; otherwise they only have a vote
     */
    record Propose(Cut cut, boolean isInstallable) implements OfPrimary {
        @Override
        public ViewId ballot() {
            return cut.ballot();
        }
    }

    /** A majority has accepted the proposal. */
    record Install(ViewId ballot) implements OfPrimary {}

    /** @param last decided primary view that the receiver does not know */
    record Learn(ViewId ballot, PrimaryChain.Primary last) implements OfPrimary {}

    /**
     * The members that have answered are no majority.
     *
     * @param asked all members that have answered, and have to wait
     * @param reason for people
     */
    record Wait(ViewId ballot, List<Member> asked, String reason) implements OfPrimary {}

    /** Most bytes of {@link Wait#reason}. */
    int REASON_BYTES_MAX = 1_024;

    /**
     * Reads a message of one of these kinds.
     *
     * @param isPrimary whether views of the group need a majority
     * @return null if no such message has this kind; check {@link Packet#isMalformed} after it
     */
    static @Nullable BallotMessage takeFrom(int kind, Packet packet, Members known, boolean isPrimary) {
        return switch (kind) {
            case MembershipMessage.PREPARE ->
                new Prepare(Wire.takeViewId(packet, known), Wire.takeViewId(packet, known));
            case MembershipMessage.CUT -> takeCut(packet, known, isPrimary);
            case MembershipMessage.PROPOSE -> new Propose(takeCut(packet, known, isPrimary), packet.takeBoolean());
            case MembershipMessage.INSTALL -> new Install(Wire.takeViewId(packet, known));
            case MembershipMessage.LEARN ->
                new Learn(Wire.takeViewId(packet, known), PrimaryChain.takePrimary(packet, known));
            case MembershipMessage.WAIT ->
                new Wait(
                        Wire.takeViewId(packet, known),
                        Wire.takeMembers(packet, known),
                        packet.takeText(REASON_BYTES_MAX));
            default -> null;
        };
    }

    private static Cut takeCut(Packet packet, Members known, boolean isPrimary) {
        ViewId ballot = Wire.takeViewId(packet, known);
        View view = Wire.takeView(packet, known);
        if (isPrimary) {
            view = Wire.takePrimary(packet, view, known);
        }
        long[] since = new long[view.size()];
        for (int rank = 0; rank < since.length; rank++) {
            since[rank] = packet.takeLong();
        }
        int holderCount = packet.takeCount(2 * Wire.MEMBER_BYTES_MIN);
        TreeMap<Member, Member> holders = new TreeMap<>();
        for (int index = 0; index < holderCount && !packet.isMalformed(); index++) {
            holders.put(Wire.takeMember(packet, known), Wire.takeMember(packet, known));
        }
        return new Cut(ballot, view, since, holders);
    }
}
