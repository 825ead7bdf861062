package dev.tutti.grid;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A choice of measurements. A measurement is chosen if it satisfies all three parts.
 *
 * @param topic pattern of topics: {@code *} stands for one level, {@code #} at the end for any number of levels, none
 *     included; {@code #} alone for all topics
 * @param tags tags that a measurement has to have, with these values; empty for all measurements
 * @param where selector in the syntax of JMS message selectors, a part of SQL-92, over the tags and over {@code topic},
 *     {@code producer}, {@code value} (of a number), {@code unit}, and {@code time} (milliseconds since 1970); empty for all
 *     measurements
 */
public record Filter(String topic, Map<String, String> tags, String where) {

    /** Most characters of a selector. */
    public static final int WHERE_MAX = 1_024;

    /** All measurements. */
    public static final Filter ALL = new Filter("#", Map.of(), "");

    public Filter {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        if (tags.size() > Measurement.TAGS_MAX) {
            throw new IllegalArgumentException("a filter has at most " + Measurement.TAGS_MAX + " tags, not " + tags.size());
        }
        Texts.check("tag of a filter", tags, Measurement.TAG_MAX, Measurement.TAG_MAX);
        checkPattern(topic);
        if (where.length() > WHERE_MAX) {
            throw new IllegalArgumentException("a selector has at most " + WHERE_MAX + " characters, not " + where.length());
        }
    }

    private static void checkPattern(String pattern) {
        Texts.check("a pattern", pattern, Topic.LENGTH_MAX);
        String[] levels = pattern.split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            boolean isRest = "#".equals(levels[i]);
            if (isRest && i < levels.length - 1) {
                throw new IllegalArgumentException("the wildcard # stands at the end of a pattern, not as in " + pattern);
            }
            if (!isRest && !"*".equals(levels[i]) && (levels[i].contains("*") || levels[i].contains("#"))) {
                throw new IllegalArgumentException("a wildcard is a level of its own, not as in " + pattern + "; for example hosts/*/cpu");
            }
        }
        Topic.of(pattern.replace('*', 'x').replace('#', 'x'));
    }

    /** Returns the number of characters of its texts. */
    long length() {
        return topic.length() + where.length() + Texts.length(tags);
    }

    /** Returns the filter for a pattern of topics. */
    public static Filter topic(String pattern) {
        return new Filter(pattern, Map.of(), "");
    }

    /** Returns the filter for measurements with a tag. */
    public static Filter tag(String name, String value) {
        return new Filter("#", Map.of(name, value), "");
    }

    /** Returns this filter with one more tag. */
    public Filter with(String name, String value) {
        Map<String, String> all = new TreeMap<>(tags);
        all.put(name, value);
        return new Filter(topic, all, where);
    }

    /** Returns this filter with this selector instead of its own. */
    public Filter where(String selector) {
        return new Filter(topic, tags, selector);
    }
}
