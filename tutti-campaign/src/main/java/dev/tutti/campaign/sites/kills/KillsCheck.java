package dev.tutti.campaign.sites.kills;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Check at the end of a run with kills, when nothing is under way: messages that are lost between sites, and the heap. Order and
 * duplicates are told by the processes at once, since a killed one can tell nothing later.
 */
final class KillsCheck {

    /** Growth of the heap that is taken for noise: a half, and 16 MiB. */
    private static final double GROWTH_MAX = 1.5;
    private static final long GROWTH_BYTES = 16 << 20;

    private KillsCheck() {}

    /** First and last number that a process has delivered of one sender, without a hole between. */
    record Range(long first, long last) {}

    /**
     * A process, from its start until it was killed or the run ended.
     *
     * @param id number of the process; no two of a run share one
     * @param isAlive whether it lived at the end
     * @param accepted number of its messages that were accepted, as it has said last
     * @param delivered messages by sender, as it has said last
     */
    record Life(int id, String site, boolean isAlive, long accepted, Map<Integer, Range> delivered) {}

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
            long due = sender.isAlive() ? sender.accepted() : lives.stream()
                    .filter(other -> other.site().equals(sender.site()) && other.id() != sender.id())
                    .mapToLong(other -> last(other, sender))
                    .max()
                    .orElse(0);
            for (String site : sites) {
                List<Life> there = lives.stream().filter(life -> life.site().equals(site)).toList();
                if (!site.equals(sender.site())) {
                    long covered = covered(there, sender);
                    if (covered < due) {
                        found.add("site " + site + " lacks messages " + (covered + 1) + " to " + due + " of " + sender.id()
                                + " at " + sender.site());
                    }
                }
                for (Life life : there) {
                    boolean isDue = sender.isAlive() || life.delivered().containsKey(sender.id());
                    long last = last(life, sender);
                    if (life.isAlive() && isDue && last < due) {
                        found.add("process " + life.id() + " at " + site + " lacks messages " + (last + 1) + " to " + due + " of "
                                + sender.id() + " at " + sender.site());
                    }
                }
            }
        }
        return found;
    }

    private static long last(Life life, Life sender) {
        Range range = life.delivered().get(sender.id());
        return range == null ? 0 : range.last();
    }

    /** Returns the number up to which each message was delivered by some process of the site. */
    private static long covered(List<Life> site, Life sender) {
        List<Range> ranges = site.stream()
                .map(life -> life.delivered().get(sender.id()))
                .filter(range -> range != null)
                .sorted(Comparator.comparingLong(Range::first))
                .toList();
        long covered = 0;
        for (Range range : ranges) {
            if (range.first() <= covered + 1) {
                covered = Math.max(covered, range.last());
            }
        }
        return covered;
    }

    /** Tells whether used heap after a collection has not grown, but for noise. */
    static boolean isFlat(long bytesBefore, long bytesAfter) {
        return bytesAfter <= GROWTH_MAX * bytesBefore + GROWTH_BYTES;
    }
}
