package dev.tutti.campaign.sites;

import dev.tutti.sites.Reach;
import java.util.ArrayList;
import java.util.List;

/** A message that a member has sent, or tried to send, and the members that were told it. */
final class Sent {

    final SiteMember sender;
    final Reach reach;

    /** Number among the messages of its sender that are not for its own site alone, from 1; 0 for one that is. */
    final long number;

    final long atNanos;

    /** Other sites that its sender kept messages for when it was sent. */
    final List<String> known;

    final List<SiteMember> told = new ArrayList<>();
    boolean isAccepted;

    Sent(SiteMember sender, Reach reach, long number, long atNanos, List<String> known) {
        this.sender = sender;
        this.reach = reach;
        this.number = number;
        this.atNanos = atNanos;
        this.known = List.copyOf(known);
    }

    /** Returns whether it is for a site, and that was so when it was sent. */
    boolean isFor(String site) {
        return site.equals(sender.site())
                ? reach.equals(Reach.HERE) || reach.isEverywhere() || reach.sites().contains(site)
                : isMeantFor(site) && known.contains(site);
    }

    /** Returns whether it may be delivered at a site. */
    boolean isMeantFor(String site) {
        return reach.isEverywhere() || reach.sites().contains(site) || reach.equals(Reach.HERE) && site.equals(sender.site());
    }

    boolean isTold(SiteMember member) {
        return told.contains(member);
    }

    boolean isToldAt(String site) {
        return told.stream().anyMatch(member -> member.site().equals(site));
    }

    @Override
    public String toString() {
        return number + " of " + sender + " for " + (reach.equals(Reach.HERE) ? "here" : reach.isEverywhere() ? "all" : reach.sites())
                + (reach.isForOne() ? " one" : "");
    }
}
