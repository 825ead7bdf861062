package dev.tutti.core.settings;

import java.util.Collection;

/** Finds the name that a mistyped one was probably meant to be. */
public final class Nearest {

    /** Characters of a name that could be a mistyped one. */
    private static final int NAME_MAX = 255;

    private Nearest() {}

    /** Returns {@code "; did you mean 'x'?"}, or all names if none is near. */
    public static String suggest(String name, Collection<String> names) {
        if (name.length() > NAME_MAX) {
            return "";
        }
        // A name without its prefix, such as port for bind.port, is not near by letters.
        for (String candidate : names) {
            if (candidate.endsWith("." + name)) {
                return "; did you mean '" + candidate + "'?";
            }
        }
        String nearest = "";
        int best = Integer.MAX_VALUE;
        for (String candidate : names) {
            int distance = distance(name, candidate);
            if (distance < best) {
                best = distance;
                nearest = candidate;
            }
        }
        if (best <= Math.max(2, name.length() / 3)) {
            return "; did you mean '" + nearest + "'?";
        }
        return names.size() > 40 || names.isEmpty() ? "" : "; there are " + String.join(", ", names);
    }

    /** Levenshtein, Binary codes capable of correcting deletions, insertions and reversals, 1966. */
    static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= from.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= to.length(); column++) {
                int above = row[column];
                int change = diagonal + (from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1);
                row[column] = Math.min(change, Math.min(above, row[column - 1]) + 1);
                diagonal = above;
            }
        }
        return row[to.length()];
    }
}
