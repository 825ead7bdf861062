package dev.tutti.grid.match;

import dev.tutti.grid.Topic;
import java.util.List;

/** Comparison of patterns of topics, as {@link dev.tutti.grid.Filter#topic} describes and checks them. */
public final class Patterns {

    private Patterns() {}

    /** Returns whether the pattern chooses the topic. */
    public static boolean matches(String pattern, Topic topic) {
        return covers(pattern, topic.path());
    }

    /** Returns whether one of the patterns chooses the topic. */
    public static boolean anyMatches(List<String> patterns, Topic topic) {
        // Every measurement is asked for here, so no stream is made for it.
        for (String pattern : patterns) {
            if (matches(pattern, topic)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether there are topics that both patterns choose. */
    public static boolean overlap(String a, String b) {
        int i = 0;
        int j = 0;
        while (true) {
            int iEnd = end(a, i);
            int jEnd = end(b, j);
            if (isRest(a, i, iEnd) || isRest(b, j, jEnd)) {
                return true;
            }
            if (i > a.length() || j > b.length()) {
                return i > a.length() && j > b.length();
            }
            if (!isAny(a, i, iEnd) && !isAny(b, j, jEnd) && !areSame(a, i, iEnd, b, j, jEnd)) {
                return false;
            }
            i = iEnd + 1;
            j = jEnd + 1;
        }
    }

    /** Returns whether a pattern chooses all topics that another one chooses. */
    public static boolean covers(String wide, String narrow) {
        if (narrow.equals("#")) {
            // No topic is without levels.
            return wide.equals("#") || wide.equals("*/#");
        }
        int i = 0;
        int j = 0;
        while (true) {
            int iEnd = end(wide, i);
            int jEnd = end(narrow, j);
            if (isRest(wide, i, iEnd)) {
                return true;
            }
            if (isRest(narrow, j, jEnd)) {
                return false;
            }
            if (i > wide.length() || j > narrow.length()) {
                return i > wide.length() && j > narrow.length();
            }
            if (!isAny(wide, i, iEnd) && !areSame(wide, i, iEnd, narrow, j, jEnd)) {
                return false;
            }
            i = iEnd + 1;
            j = jEnd + 1;
        }
    }

    /** Returns the end of the level that begins at an index; an index above the length is behind the last level. */
    private static int end(String pattern, int from) {
        int slash = pattern.indexOf('/', from);
        return slash < 0 ? Math.max(from, pattern.length()) : slash;
    }

    private static boolean isAny(String pattern, int from, int end) {
        return end - from == 1 && pattern.charAt(from) == '*';
    }

    private static boolean isRest(String pattern, int from, int end) {
        return end - from == 1 && pattern.charAt(from) == '#';
    }

    private static boolean areSame(String a, int i, int iEnd, String b, int j, int jEnd) {
        return iEnd - i == jEnd - j && a.regionMatches(i, b, j, iEnd - i);
    }
}
