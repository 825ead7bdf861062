package dev.tutti.campaign.sites;

import dev.tutti.sites.SitesView;
import dev.tutti.sites.Stable;
import dev.tutti.sites.WhenFull;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Checks at rest what members were told: nothing is lost without a word, the orders agree, and lists of sites, too. */
final class SitesCheck {

    private final SitesRun run;
    private final SitesPlan plan;

    /** Members that run; those of {@link SitesRun#members} that are missing here have ended. */
    private final List<SiteMember> running;

    /** Sites of which a member has ended. */
    private final Set<String> reduced;

    SitesCheck(SitesRun run, List<SiteMember> running) {
        this.run = run;
        this.plan = run.plan;
        this.running = running;
        this.reduced = run.members.stream()
                .filter(member -> !running.contains(member))
                .map(SiteMember::site)
                .collect(Collectors.toSet());
    }

    void check() {
        Map<SiteMember, List<Sent>> due = run.sent.stream().filter(this::isDue).collect(Collectors.groupingBy(sent -> sent.sender));
        for (SiteMember sender : run.members) {
            List<Sent> messages = due.getOrDefault(sender, List.of());
            for (String site : plan.others(sender.site())) {
                checkSite(messages.stream().filter(sent -> sent.isFor(site)).toList(), site);
            }
            for (SiteMember receiver : run.members) {
                checkGaps(sender, receiver);
            }
        }
        checkOrders();
        checkLists();
    }

    // ------------------------------------------------------------------ loss

    /** Returns whether a message has to arrive: a member that runs has it, or one whose messages are on disk. */
    private boolean isDue(Sent sent) {
        if (sent.number == 0) {
            return false;
        }
        return sent.isAccepted && running.contains(sent.sender)
                || sent.told.stream().anyMatch(member ->
                        member.site().equals(sent.sender.site()) && (plan.isSpilling() || running.contains(member)));
    }

    /** Checks the messages of one sender at another site. */
    private void checkSite(List<Sent> due, String site) {
        boolean isWhole = !run.divided.contains(site) && (plan.stable() == Stable.ALL || !reduced.contains(site));
        for (Sent sent : due) {
            boolean isCounted = sent.reach.isForOne() && !run.divided.contains(site);
            long count = sent.told.stream().filter(member -> member.site().equals(site) && running.contains(member)).count();
            if (isCounted && count > 1) {
                run.findings.report("X7", sent + " was told to " + count + " members at " + site);
            }
            boolean isNeeded = !sent.reach.isForOne() || isCounted && !reduced.contains(site);
            if (plan.whenFull() == WhenFull.WAIT && isNeeded && !sent.isToldAt(site)) {
                run.findings.report("X3", sent + " was told to nobody at " + site);
            }
        }
        for (SiteMember receiver : running) {
            if (isWhole && receiver.site().equals(site)) {
                checkMissing(due.stream().filter(sent -> !sent.reach.isForOne() && sent.atNanos > receiver.joinedNanos()).toList(), receiver);
            }
        }
    }

    /** Checks that a member was told each message, or a gap in the place of it. */
    private static void checkMissing(List<Sent> due, SiteMember receiver) {
        if (due.isEmpty()) {
            return;
        }
        List<SiteMember.Told> told = receiver.toldOf(due.getFirst().sender);
        int at = 0;
        long gap = 0;
        long missing = 0;
        for (Sent sent : due) {
            while (at < told.size() && told.get(at).number() < sent.number) {
                boolean isMessage = told.get(at).number() > 0;
                gap = isMessage ? 0 : gap + told.get(at).gap();
                missing = isMessage ? 0 : missing;
                at++;
            }
            if (at < told.size() && told.get(at).number() == sent.number) {
                continue;
            }
            missing++;
            if (missing > gap) {
                receiver.report("X3", "was neither told " + sent + " nor a gap for it, but " + told.size() + " others: "
                        + told.subList(Math.max(0, at - 3), Math.min(told.size(), at + 3)));
                return;
            }
        }
    }

    /** Checks that no member is told a gap that cannot be. */
    private void checkGaps(SiteMember sender, SiteMember receiver) {
        boolean isWhole = !run.divided.contains(sender.site())
                && !run.divided.contains(receiver.site())
                && (plan.stable() == Stable.ALL || !reduced.contains(receiver.site()));
        if (!isWhole) {
            return;
        }
        long last = receiver.joinedNanos() < sender.joinedNanos() ? 0 : -1;
        long gap = 0;
        for (SiteMember.Told told : receiver.toldOf(sender)) {
            if (told.number() == 0) {
                gap += told.gap();
                if (plan.whenFull() == WhenFull.WAIT) {
                    receiver.report("X3", "was told a gap of " + told.gap() + " messages of " + sender + ", though nothing was dropped");
                }
            } else {
                if (last >= 0 && gap > told.number() - last - 1) {
                    receiver.report("X3", "was told a gap of " + gap + " between messages " + last + " and " + told.number() + " of " + sender);
                }
                last = told.number();
                gap = 0;
            }
        }
    }

    // ------------------------------------------------------------------ order

    /** Checks that members that run were told the messages of each site that was not divided in one order. */
    private void checkOrders() {
        if (!plan.isTotal()) {
            return;
        }
        List<SiteMember> whole = running.stream().filter(member -> !run.divided.contains(member.site())).toList();
        for (int site = 0; site < plan.sizes().size(); site++) {
            String origin = plan.siteName(site);
            if (run.divided.contains(origin)) {
                continue;
            }
            for (SiteMember one : whole) {
                Map<Sent, Integer> places = new HashMap<>();
                for (Sent sent : of(one, origin)) {
                    places.put(sent, places.size());
                }
                for (SiteMember other : whole) {
                    checkOrder(one, places, other, of(other, origin));
                }
            }
        }
    }

    private static List<Sent> of(SiteMember member, String origin) {
        return member.delivered().stream().filter(sent -> sent.sender.site().equals(origin)).toList();
    }

    private static void checkOrder(SiteMember one, Map<Sent, Integer> places, SiteMember other, List<Sent> told) {
        int last = -1;
        for (Sent sent : told) {
            int place = places.getOrDefault(sent, last);
            if (place < last) {
                other.report("X5", "was told " + sent + " later than " + one + " was");
                return;
            }
            last = place;
        }
    }

    // ------------------------------------------------------------------ lists

    /** Checks that members of a site that was not divided were told the same lists under the same numbers. */
    private void checkLists() {
        Map<String, SitesView> known = new TreeMap<>();
        Set<SiteMember> told = new HashSet<>();
        for (SiteMember member : running) {
            if (run.divided.contains(member.site())) {
                continue;
            }
            for (SitesView list : member.lists()) {
                SitesView same = known.putIfAbsent(member.site() + " " + list.number(), list);
                if (same != null && !same.equals(list) && told.add(member)) {
                    member.report("X6", "was told list " + list + ", and another one list " + same);
                }
            }
        }
    }
}
