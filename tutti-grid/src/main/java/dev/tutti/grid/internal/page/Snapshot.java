package dev.tutti.grid.internal.page;

import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.match.FilterIndex;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The grid at one time: entries, last measurements, and rates.
 *
 * <p>The rate of a producer is exact: it is the growth of the numbers of its measurements since an earlier snapshot. Rates of consumers
 * and between sites are estimates: each topic has an equal share of its producer's rate, and the last measurement stands for all of its topic.
 */
final class Snapshot {

    /** Most measurements that are kept. */
    static final int MEASUREMENTS_MAX = 50_000;

    /** Growth over less time is too inexact. */
    private static final long SPAN_NANOS_MIN = 900_000_000L;

    /** Time for which the rate of a producer stands although its site does not answer in time. */
    private static final long KEPT_NANOS = 30_000_000_000L;

    /** Way of measurements from the producers of one site to the consumers of another one. */
    record Way(String from, String to) implements Comparable<Way> {
        @Override
        public int compareTo(Way other) {
            int order = from.compareTo(other.from);
            return order != 0 ? order : to.compareTo(other.to);
        }
    }

    /** Number of the last measurement of a producer. */
    private record Reading(long sequence, long nanos, double rate) {}

    private final List<Entry> entries;
    private final List<Measurement> measurements;
    private final List<Numbers> numbers;
    private final List<String> missing;
    private final long atMillis;
    private final Map<String, Entry> byId = new HashMap<>();
    private final Map<String, Reading> readings = new HashMap<>();
    private final Map<String, Double> consumed = new HashMap<>();
    private final TreeMap<Way, Double> ways = new TreeMap<>();

    /**
     * @param before an earlier one; null for none
     * @param nanos time of the answers, by a clock that only grows
     */
    Snapshot(@Nullable Snapshot before, Answer<Entry> found, Answer<Measurement> latest, long atMillis, long nanos) {
        this.entries = found.items();
        this.measurements = latest.items().stream().limit(MEASUREMENTS_MAX).map(Snapshot::cut).toList();
        this.numbers = measurements.stream()
                .flatMap(each -> Numbers.of(each).stream())
                .sorted(Comparator.comparing(Numbers::topic).thenComparing(Numbers::part).thenComparing(each -> each.measurement().producer()))
                .toList();
        this.missing = missing(found, latest);
        this.atMillis = atMillis;
        entries.forEach(entry -> byId.put(entry.id(), entry));
        Map<String, Integer> topics = new HashMap<>();
        Map<String, Long> sequences = new HashMap<>();
        for (Measurement each : latest.items()) {
            topics.merge(each.producer(), 1, Integer::sum);
            sequences.merge(each.producer(), each.sequence(), Math::max);
        }
        sequences.forEach((id, sequence) -> readings.put(id, reading(before == null ? null : before.readings.get(id), sequence, nanos)));
        if (before != null && !missing.isEmpty()) {
            // A busy site may miss the deadline each second time. Its rates would never be known without the earlier reading.
            before.readings.forEach((id, reading) -> {
                if (nanos - reading.nanos < KEPT_NANOS) {
                    readings.putIfAbsent(id, reading);
                }
            });
        }
        estimate(topics);
    }

    private static List<String> missing(Answer<Entry> found, Answer<Measurement> latest) {
        TreeSet<String> all = new TreeSet<>(found.missing());
        all.addAll(latest.missing());
        int most = Query.ALL.limit();
        found.items().stream().collect(Collectors.groupingBy(Entry::site, Collectors.counting())).forEach((site, count) -> {
            if (count >= most) {
                all.add("producers and consumers beyond the first " + most + (site.isEmpty() ? "" : " of site " + site));
            }
        });
        if (latest.items().size() > MEASUREMENTS_MAX) {
            all.add("measurements beyond the first " + MEASUREMENTS_MAX);
        }
        return List.copyOf(all);
    }

    /** Returns a measurement that takes little memory: bytes and long texts are not shown. */
    private static Measurement cut(Measurement whole) {
        Body body = switch (whole.body()) {
            case Body.Bytes(byte[] bytes) -> Body.of(bytes.length + " bytes");
            case Body.Text(String text) -> Body.of(PageContent.text(text));
            case Body.Values(Map<String, Body> values) -> new Body.Values(values.entrySet().stream()
                    .limit(Numbers.PARTS_MAX)
                    .collect(Collectors.toMap(
                            each -> PageContent.text(each.getKey()),
                            each -> each.getValue() instanceof Body.Text(String text) ? Body.of(PageContent.text(text)) : each.getValue(),
                            (one, other) -> one)));
            case Body.Number number -> number;
            case Body.Histogram histogram -> histogram;
        };
        return new Measurement(whole.producer(), whole.sequence(), whole.topic(), whole.tags(), whole.time(), whole.clock(), body);
    }

    private static Reading reading(@Nullable Reading before, long sequence, long nanos) {
        if (before == null || sequence < before.sequence) {
            return new Reading(sequence, nanos, Double.NaN);
        }
        long span = nanos - before.nanos;
        return span < SPAN_NANOS_MIN ? before : new Reading(sequence, nanos, (sequence - before.sequence) * 1e9 / span);
    }

    private void estimate(Map<String, Integer> topics) {
        FilterIndex<Entry> index = new FilterIndex<>();
        for (Entry entry : entries) {
            if (entry.kind() == Entry.Kind.CONSUMER) {
                entry.filters().forEach(filter -> index.add(filter, entry));
            }
        }
        for (Measurement each : measurements) {
            Entry producer = byId.get(each.producer());
            double share = rate(each.producer()) / topics.getOrDefault(each.producer(), 1);
            if (producer != null && share > 0) {
                TreeSet<String> sites = new TreeSet<>();
                index.match(each, consumer -> {
                    consumed.merge(consumer.id(), share, Double::sum);
                    sites.add(consumer.site());
                });
                sites.forEach(site -> ways.merge(new Way(producer.site(), site), share, Double::sum));
            }
        }
    }

    long atMillis() {
        return atMillis;
    }

    List<Entry> entries() {
        return entries;
    }

    /** Returns the numbers of the last measurements, by topic. */
    List<Numbers> numbers() {
        return numbers;
    }

    /** Returns the parts of the grid that have not answered, each with the reason. */
    List<String> missing() {
        return missing;
    }

    @Nullable Entry entry(String id) {
        return byId.get(id);
    }

    /** Returns measurements per second of a producer, or for a consumer; NaN if they are not known. */
    double rate(String id) {
        Double estimate = consumed.get(id);
        if (estimate != null) {
            return estimate;
        }
        Reading reading = readings.get(id);
        return reading == null ? Double.NaN : reading.rate;
    }

    /** Returns measurements per second by site of the producers and site of the consumers. */
    TreeMap<Way, Double> ways() {
        return ways;
    }
}
