package dev.tutti.cli.grid;

import dev.tutti.cli.grid.Arrivals.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measurements that are missing at consumers, and findings: what is missing although nobody was told. A consumer is told by a gap, or the
 * producer's client knows that it has changed its mediator, and what was on its way is seen by the numbers.
 *
 * @param published measurements that producers have published
 * @param due measurements that all consumers together should have got: each gets all from its first one of a producer
 * @param received measurements that all consumers got
 * @param told missing ones at places where the consumer was told of a gap
 * @param seen missing ones, of producers that have changed their mediator
 * @param gaps gaps that consumers were told
 * @param findings sentences about what should not be
 */
record Loss(long published, long due, long received, long told, long seen, long gaps, List<String> findings) {

    /** A producer as its client knows it. */
    record Source(String name, long published, boolean hasChanged) {}

    /**
     * Compares what was published with what came.
     *
     * @param sources producers by identity
     * @param consumers what came at the consumers, by name
     * @param isEnded whether nothing is on its way any more
     */
    static Loss of(Map<String, Source> sources, Map<String, Arrivals> consumers, boolean isEnded) {
        long told = 0;
        long seen = 0;
        long gaps = 0;
        long received = 0;
        long due = 0;
        List<String> findings = new ArrayList<>();
        for (Map.Entry<String, Arrivals> consumer : new TreeMap<>(consumers).entrySet()) {
            gaps += consumer.getValue().gaps();
            received += consumer.getValue().received();
            for (Map.Entry<String, Source> each : sources.entrySet()) {
                Source source = each.getValue();
                Row row = consumer.getValue().of(each.getKey());
                String way = source.name + " at consumer " + consumer.getKey();
                told += row.told();
                due += row.last() == 0 ? 0 : source.published - row.first() + 1;
                if (source.hasChanged) {
                    seen += row.untold();
                } else if (row.untold() > 0) {
                    findings.add(row.untold() + " measurements of " + way + " are missing, and nobody was told");
                }
                if (row.repeated() > 0) {
                    findings.add(row.repeated() + " measurements of " + way + " came again, or after later ones");
                }
                long tail = source.published - row.last();
                if (isEnded && tail > 0 && !row.isGapOpen()) {
                    findings.add("the last " + tail + " measurements of " + way + " have not come, and nobody was told");
                } else if (isEnded) {
                    told += tail;
                }
            }
        }
        return new Loss(sources.values().stream().mapToLong(Source::published).sum(), due, received, told, seen, gaps, List.copyOf(findings));
    }

    /** Returns whether all measurements have come that were published after the consumer's first one. */
    static boolean isComplete(Map<String, Source> sources, Map<String, Arrivals> consumers) {
        return consumers.values().stream().allMatch(consumer -> sources.entrySet().stream()
                .allMatch(each -> consumer.of(each.getKey()).last() == each.getValue().published()));
    }
}
