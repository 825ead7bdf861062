package dev.tutti.grid;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Options of a producer.
 *
 * @param name name for people
 * @param topics patterns of the topics that it may publish, as in {@link Filter#topic}
 * @param type kind of its measurements; empty for none
 * @param schema description of bodies, or the address of one; empty for none
 * @param address address at which it is found otherwise, such as that of a page with metrics; empty for none
 * @param attributes further names and values
 * @param history measurements that it keeps for queries, 0 to {@link #HISTORY_MAX}
 * @param clock quality of the clock that times are from
 */
public record ProducerOptions(
        String name,
        List<String> topics,
        String type,
        String schema,
        String address,
        Map<String, String> attributes,
        int history,
        ClockQuality clock) {

    /** Most measurements that a producer keeps. */
    public static final int HISTORY_MAX = 1_000_000;

    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,100}");

    public ProducerOptions {
        checkName(name);
        topics = List.copyOf(topics);
        topics.forEach(Filter::topic);
        if (topics.isEmpty() || topics.size() > Entry.FILTERS_MAX) {
            throw new IllegalArgumentException("producer " + name + " has " + topics.size() + " topics, and 1 to " + Entry.FILTERS_MAX
                    + " are possible; a pattern such as hosts/web1/# stands for many");
        }
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
        if (history < 0 || history > HISTORY_MAX) {
            throw new IllegalArgumentException("producer " + name + " keeps 0 to " + HISTORY_MAX + " measurements, not " + history);
        }
    }

    static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of a producer or consumer has 1 to 100 characters, none of them a control character, not "
                    + Texts.shown(name));
        }
    }

    /** Returns options with defaults: no history, and a clock of unknown quality. */
    public static ProducerOptions of(String name, String... topics) {
        return new ProducerOptions(name, List.of(topics), "", "", "", Map.of(), 0, ClockQuality.UNKNOWN);
    }

    /** Returns these options with a kind of measurements. */
    public ProducerOptions type(String text) {
        return new ProducerOptions(name, topics, text, schema, address, attributes, history, clock);
    }

    /** Returns these options with a description of bodies. */
    public ProducerOptions schema(String text) {
        return new ProducerOptions(name, topics, type, text, address, attributes, history, clock);
    }

    /** Returns these options with an address. */
    public ProducerOptions address(String text) {
        return new ProducerOptions(name, topics, type, schema, text, attributes, history, clock);
    }

    /** Returns these options with one more attribute. */
    public ProducerOptions with(String attribute, String value) {
        Map<String, String> all = new TreeMap<>(attributes);
        all.put(attribute, value);
        return new ProducerOptions(name, topics, type, schema, address, all, history, clock);
    }

    /** Returns these options with one more topic, or pattern of topics. */
    public ProducerOptions topic(String pattern) {
        List<String> all = new ArrayList<>(topics);
        all.add(pattern);
        return new ProducerOptions(name, all, type, schema, address, attributes, history, clock);
    }

    /** Returns these options for a producer that keeps its last measurements for queries. */
    public ProducerOptions history(int measurements) {
        return new ProducerOptions(name, topics, type, schema, address, attributes, measurements, clock);
    }

    /** Returns these options with the quality of the clock that times are from. */
    public ProducerOptions clock(ClockQuality quality) {
        return new ProducerOptions(name, topics, type, schema, address, attributes, history, quality);
    }
}
