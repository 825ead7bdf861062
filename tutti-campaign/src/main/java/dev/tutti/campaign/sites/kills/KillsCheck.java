package dev.tutti.campaign.sites.kills;

import dev.tutti.campaign.sites.process.Life;
import java.util.ArrayList;
import java.util.List;

/**
 * Check at the end of a run with kills, when nothing is under way: messages that are lost between sites, and the heap. Order and
 * duplicates are told by the processes at once, since a killed one can tell nothing later.
 */
final class KillsCheck {

    /** Growth of the heap that is taken for noise: a half, and 16 MiB. */
    private static final double GROWTH_MAX = 1.5;
    private static final long GROWTH_BYTES = 16 << 20;

    private KillsCheck() {}

    /**
     * Returns the messages that members lack, one sentence for each pair of sender and site or process.
     *
     * <p>All messages of a sender that lives have to be everywhere. Those of a killed one have to be if another process of its
     * site has delivered them; the other one may have been killed later, when the members of its site had them, too.
     */
    static List<String> lost(List<Life> lives) {
        List<String> found = new ArrayList<>();
        List<String> sites = lives.stream().map(Life::site).distinct().toList();
        for (Life sender : lives) {
            long due = due(lives, sender);
            for (String site : sites) {
                List<Life> there = lives.stream().filter(life -> life.site().equals(site)).toList();
                if (!site.equals(sender.site())) {
                    long covered = Life.covered(there, sender);
                    if (covered < due) {
                        found.add("site " + site + " lacks messages " + (covered + 1) + " to " + due + " of " + sender.id()
                                + " at " + sender.site());
                    }
                }
                for (Life life : there) {
                    boolean isDue = sender.isAlive() || life.delivered().containsKey(sender.id());
                    long last = life.last(sender);
                    if (life.isAlive() && isDue && last < due) {
                        found.add("process " + life.id() + " at " + site + " lacks messages " + (last + 1) + " to " + due + " of "
                                + sender.id() + " at " + sender.site());
                    }
                }
            }
        }
        return found;
    }

    /** Returns the number of a sender's last message that has to be everywhere. */
    private static long due(List<Life> lives, Life sender) {
        return sender.isAlive() ? sender.accepted() : lives.stream()
                .filter(other -> other.site().equals(sender.site()) && other.id() != sender.id())
                .mapToLong(other -> other.last(sender))
                .max()
                .orElse(0);
    }

    /** Returns the number of messages of living senders that living processes lack after the last that they have got. */
    static long lackingAtEnd(List<Life> lives) {
        long count = 0;
        for (Life sender : lives) {
            for (Life life : lives) {
                count += sender.isAlive() && life.isAlive() ? Math.max(0, sender.accepted() - life.last(sender)) : 0;
            }
        }
        return count;
    }

    /** Tells whether used heap after a collection has not grown, but for noise. */
    static boolean isFlat(long bytesBefore, long bytesAfter) {
        return bytesAfter <= GROWTH_MAX * bytesBefore + GROWTH_BYTES;
    }
}
