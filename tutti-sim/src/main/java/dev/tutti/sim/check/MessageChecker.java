package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;

/**
 * Checks each message by itself: S1, execution integrity; S2, no duplication; S5, initial view; S7, same view delivery;
 * S18, merge.
 */
final class MessageChecker implements GuaranteeChecker {

    private final Violations violations;

    MessageChecker(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void onEntry(MemberPast member, History.Entry entry) {
        if (member.isOver()) {
            violations.report("S5", member.member() + " has gone, and then " + entry);
        }
    }

    @Override
    public void onDelivered(MemberPast receiver, MemberPast sender, History.Message message) {
        checkContent(receiver.member(), sender, message);
        boolean isKnown = sender.hasSubmitted(message);
        if (isKnown && receiver.hasDelivered(message)) {
            violations.report("S2", receiver.member() + " delivered " + message + " again");
        }
        Stay stay = receiver.stay();
        if (stay == null) {
            violations.report("S5", receiver.member() + " delivered " + message + " before its first view");
        } else if (message.isMulticast()) {
            checkView(receiver.member(), stay, sender, message);
        }
    }

    private void checkContent(Member receiver, MemberPast sender, History.Message message) {
        Submissions submissions = sender.submissions(message.receiver(), message.isOutOfBand());
        int position = MemberPast.position(message);
        if (submissions == null || !submissions.has(position)) {
            violations.report("S1", receiver + " delivered " + message + ", which nobody had sent");
        } else if (submissions.hash(position) != message.hash()) {
            violations.report("S1", receiver + " delivered " + message + " with another content than it was sent with");
        }
        if (message.receiver() != null && !message.receiver().equals(receiver)) {
            violations.report("S1", receiver + " delivered " + message + ", which was not for it");
        }
    }

    private void checkView(Member receiver, Stay stay, MemberPast sender, History.Message message) {
        if (!stay.view().contains(sender.member())) {
            violations.report("S18", receiver + " delivered " + message + " in " + stay.view() + ", where its sender is not");
        }
        Submissions submissions = sender.submissions(null, message.isOutOfBand());
        int position = MemberPast.position(message);
        ViewId first = submissions != null && submissions.has(position) ? submissions.deliveredIn(position) : null;
        if (first != null && !first.equals(stay.id())) {
            violations.report("S7", receiver + " delivered " + message + " in " + stay.id() + ", others in " + first);
        }
    }
}
