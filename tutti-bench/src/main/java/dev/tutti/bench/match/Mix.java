package dev.tutti.bench.match;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Kinds of subscriptions to measurements of hosts in ten halls, each with ten metrics. */
public enum Mix {
    /** Each subscription has another topic. */
    EXACT("exact topics"),

    /** All metrics of a host, a metric of a host in any hall, a metric of all hosts below another topic, and exact topics. */
    WILDCARDS("topics with wildcards"),

    /** A host and a metric, as tags. */
    TAGS("two tags"),

    /** A host as a tag in a selector, and a bound of the value. */
    TAGS_IN_SELECTORS("selectors: tag and bound"),

    /** All topics of a host, and a bound of the value that few others have. */
    SELECTORS("topics of a host and a bound"),

    /** One fifth of each. */
    ALL("one fifth of each");

    private static final int HALLS = 10;
    private static final int METRICS = 10;
    private static final int BOUNDS = 1_000;

    private final String title;

    Mix(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** Returns whether subscriptions have only a pattern of topics, as those of MQTT. */
    public boolean isOnlyTopics() {
        return this == EXACT || this == WILDCARDS;
    }

    /** Returns subscriptions of this kind. */
    public List<Filter> filters(int count) {
        return IntStream.range(0, count).mapToObj(this::filter).toList();
    }

    private Filter filter(int index) {
        int host = index / METRICS;
        int metric = index % METRICS;
        return switch (this) {
            case EXACT -> Filter.topic(topic(host, metric));
            case WILDCARDS -> switch (index % 4) {
                case 0 -> Filter.topic(hall(host) + "/host" + host + "/#");
                case 1 -> Filter.topic("*/host" + host + "/metric" + metric + "/now");
                case 2 -> Filter.topic(hall(host) + "/*/metric" + metric + "/day" + host);
                default -> Filter.topic(topic(host, metric));
            };
            case TAGS -> Filter.tag("host", "host" + host).with("metric", "metric" + metric);
            case TAGS_IN_SELECTORS -> Filter.ALL.where("host = 'host" + host + "' AND value > " + index % 100);
            case SELECTORS -> Filter.topic(hall(host) + "/host" + host + "/#").where("value > " + 100.0 * (index % BOUNDS) / BOUNDS);
            case ALL -> values()[index % ALL.ordinal()].filter(index);
        };
    }

    private static String hall(int host) {
        return "hall" + host % HALLS;
    }

    private static String topic(int host, int metric) {
        return hall(host) + "/host" + host + "/metric" + metric + "/now";
    }

    /** Returns measurements that as many subscriptions are about, drawn from a seed. */
    public static List<Measurement> measurements(int count, int subscriptions, long seed) {
        Random random = new Random(seed);
        return IntStream.range(0, count).mapToObj(i -> measurement(random, Math.max(1, subscriptions / METRICS))).toList();
    }

    private static Measurement measurement(Random random, int hosts) {
        int host = random.nextInt(hosts);
        int metric = random.nextInt(METRICS);
        Map<String, String> tags = Map.of("host", "host" + host, "metric", "metric" + metric, "hall", hall(host));
        return new Measurement("bench", 1, Topic.of(topic(host, metric)), tags, Instant.EPOCH, ClockQuality.UNKNOWN,
                Body.of(random.nextInt(100)));
    }
}
