package dev.tutti.sites.internal.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The other sites that have told this one all entries since it has missed some last; those that have not are asked. The state of a
 * site: its members are told the same gaps and answers. Not thread-safe.
 */
public final class MapSync {

    /** Time until a site is asked again. */
    private static final long ASK_NANOS = 10_000_000_000L;

    /** Number of times that writes of a site were missed. */
    private final TreeMap<String, Long> gaps = new TreeMap<>();

    /** Number of those times before a site's last answer was asked for. */
    private final TreeMap<String, Long> answered = new TreeMap<>();

    private final TreeMap<String, Long> askedNanos = new TreeMap<>();
    private final TreeSet<String> answering = new TreeSet<>();
    private long answers;

    /** Notes that writes of a site are missing here for good. */
    public void onGap(String site) {
        gaps.merge(site, 1L, Long::sum);
        askedNanos.remove(site);
    }

    /** Notes that a site has told all, when it was asked after this number of gaps. */
    public void onAnswered(String site, long afterGaps) {
        answered.merge(site, afterGaps, Math::max);
        answers++;
    }

    private boolean isMissing(String site) {
        return answered.getOrDefault(site, -1L) < gaps.getOrDefault(site, 0L);
    }

    /** Returns the ones of these sites that may have entries which are missing here. */
    public List<String> missing(List<String> sites) {
        List<String> missing = new ArrayList<>(sites);
        missing.removeIf(site -> !isMissing(site));
        return missing;
    }

    /** Returns the sites to ask now, with the number of gaps. */
    public Map<String, Long> takeDue(List<String> connected, long nowNanos) {
        TreeMap<String, Long> due = new TreeMap<>();
        for (String site : missing(connected)) {
            Long asked = askedNanos.get(site);
            if (asked == null || nowNanos - asked >= ASK_NANOS) {
                askedNanos.put(site, nowNanos);
                due.put(site, gaps.getOrDefault(site, 0L));
            }
        }
        return due;
    }

    /** Returns whether a site's question is to be answered: it has no answer under way. */
    public boolean beginAnswer(String site) {
        return answering.add(site);
    }

    public void endAnswer(String site) {
        answering.remove(site);
    }

    public void putStatus(Map<String, Long> status) {
        status.put("gaps", gaps.values().stream().mapToLong(Long::longValue).sum());
        status.put("answers", answers);
    }

    public void put(ByteOutput out) {
        put(gaps, out);
        put(answered, out);
    }

    private static void put(TreeMap<String, Long> counts, ByteOutput out) {
        out.putInt(counts.size());
        counts.forEach((site, count) -> out.putText(site).putLong(count));
    }

    /** Replaces gaps and answers by those of another member. */
    public void take(ByteInput in) {
        take(gaps, in);
        take(answered, in);
    }

    private static void take(TreeMap<String, Long> counts, ByteInput in) {
        counts.clear();
        for (int left = in.takeCount(Integer.BYTES + Long.BYTES); left > 0; left--) {
            counts.put(in.takeText(), in.takeLong());
        }
    }
}
