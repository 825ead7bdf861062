package dev.tutti.campaign.sites.process;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A process, from its start until it was killed or the run ended.
 *
 * @param id number of the process; no two of a run share one
 * @param isAlive whether it lived at the end
 * @param accepted number of its messages that were accepted, as it has said last
 * @param delivered messages by sender, as it has said last
 */
public record Life(int id, String site, boolean isAlive, long accepted, Map<Integer, Range> delivered) {

    /** Returns the last number that it has delivered of a sender; 0 for none. */
    public long last(Life sender) {
        Range range = delivered.get(sender.id());
        return range == null ? 0 : range.last();
    }

    /** Returns the number up to which each message of a sender was delivered by one of these processes. */
    public static long covered(List<Life> lives, Life sender) {
        List<Range> ranges = lives.stream()
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
}
