package dev.tutti.campaign.sites.cut;

import dev.tutti.campaign.sites.process.Life;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Check at the end of a run with a cut, when nothing is under way: messages that are lost between sites. A member writes each message
 * to its files before it delivers it, and before its sender is told that it is accepted.
 */
final class CutCheck {

    private CutCheck() {}

    /**
     * Returns the messages that members lack, one sentence for each pair of sender and site or process.
     *
     * <p>All messages of a sender that lives have to be everywhere. Those of a killed one that are on disk have to be at each other
     * site, and at each process there; new processes of its own site get none.
     *
     * @param lives processes, those that were killed with the numbers that they had reached then
     * @param onDisk last number of each killed sender that is on disk; none if it is missing
     */
    static List<String> lost(List<Life> lives, Map<Integer, Long> onDisk) {
        List<String> found = new ArrayList<>();
        List<String> sites = lives.stream().map(Life::site).distinct().toList();
        for (Life sender : lives) {
            long due = sender.isAlive() ? sender.accepted() : onDisk.getOrDefault(sender.id(), 0L);
            for (String site : sites) {
                boolean isOwn = site.equals(sender.site());
                if (isOwn && !sender.isAlive()) {
                    continue;
                }
                List<Life> there = lives.stream().filter(life -> life.site().equals(site)).toList();
                long covered = Life.covered(there, sender);
                if (!isOwn && covered < due) {
                    found.add("site " + site + lacks(covered, due, sender));
                }
                for (Life life : there) {
                    long last = life.last(sender);
                    if (life.isAlive() && last < due) {
                        found.add("process " + life.id() + " at " + site + lacks(last, due, sender));
                    }
                }
            }
        }
        return found;
    }

    private static String lacks(long last, long due, Life sender) {
        return " lacks messages " + (last + 1) + " to " + due + " of " + sender.id() + " at " + sender.site();
    }

    /**
     * Returns the number up to which the messages of a killed sender are on disk: the last that it was told is accepted, or that a
     * process of its site has delivered.
     */
    static long onDisk(List<Life> lives, Life sender) {
        return Math.max(sender.accepted(), delivered(lives, sender));
    }

    private static long delivered(List<Life> lives, Life sender) {
        return lives.stream()
                .filter(life -> life.site().equals(sender.site()))
                .mapToLong(life -> life.last(sender))
                .max()
                .orElse(0);
    }

    /** Returns the number of a killed sender's messages that were accepted, and have not arrived at some other site. */
    static long missing(List<Life> lives, Life sender) {
        return lives.stream()
                .map(Life::site)
                .distinct()
                .filter(site -> !site.equals(sender.site()))
                .mapToLong(site -> sender.accepted()
                        - Life.covered(lives.stream().filter(life -> life.site().equals(site)).toList(), sender))
                // Negative where the last messages arrived before their sender could note that they were accepted.
                .map(missing -> Math.max(0, missing))
                .max()
                .orElse(0);
    }
}
