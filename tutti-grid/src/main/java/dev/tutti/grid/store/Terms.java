package dev.tutti.grid.store;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Terms by which stores index entries: one for each attribute, and one for each pattern of topics.
 *
 * <p>The term of a pattern is the path of its levels before the first wildcard, with a slash at both ends, so that {@code
 * hosts/web1/*} has {@code /hosts/web1/}. Two patterns can have a topic in common only if the term of one begins with that of
 * the other. The index therefore has the terms that are beginnings of a query's, and, as one range, those that begin with it.
 * The entries that it gives are candidates: {@link Entries#isFound} decides.
 */
final class Terms {

    /** The term of patterns that begin with a wildcard, with which the terms of all patterns begin. */
    static final String ROOT = "/";

    private Terms() {}

    static Set<String> of(Entry entry) {
        Set<String> terms = new TreeSet<>();
        for (Filter filter : entry.filters()) {
            terms.add(ofTopic(filter.topic()));
        }
        for (Map.Entry<String, String> each : entry.attributes().entrySet()) {
            terms.add(ofAttribute(each.getKey(), each.getValue()));
        }
        return terms;
    }

    static String ofAttribute(String name, String value) {
        return "=" + name + "=" + value;
    }

    static boolean isTopic(String term) {
        return term.charAt(0) == '/';
    }

    static String ofTopic(String pattern) {
        int end = 0;
        while (end < pattern.length() && pattern.charAt(end) != '*' && pattern.charAt(end) != '#') {
            int slash = pattern.indexOf('/', end);
            end = slash < 0 ? pattern.length() : slash + 1;
        }
        boolean isWhole = end > 0 && pattern.charAt(end - 1) != '/';
        return "/" + pattern.substring(0, end) + (isWhole ? "/" : "");
    }

    /** Returns the terms with which a topic's begins, without itself. */
    static List<String> beginnings(String term) {
        List<String> beginnings = new ArrayList<>();
        for (int slash = 0; slash < term.length() - 1; slash = term.indexOf('/', slash + 1)) {
            beginnings.add(term.substring(0, slash + 1));
        }
        return beginnings;
    }

    /** Returns the first text after all that begin with a topic's term. */
    static String after(String term) {
        return term.substring(0, term.length() - 1) + (char) ('/' + 1);
    }
}
