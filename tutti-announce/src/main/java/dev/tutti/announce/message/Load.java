package dev.tutti.announce.message;

import java.util.Map;
import java.util.TreeMap;

/**
 * Load of a node.
 *
 * @param value from 0, idle, to 1, as much as it can do
 * @param parts values that it is made of, by name, such as {@code busy-threads}; each from 0 to 1
 */
public record Load(double value, Map<String, Double> parts) {

    /** Most parts. */
    public static final int PARTS_MAX = 16;

    public Load {
        check("load", value);
        if (parts.size() > PARTS_MAX) {
            throw new IllegalArgumentException("a load has " + parts.size() + " parts; at most " + PARTS_MAX);
        }
        parts = new TreeMap<>(parts);
        parts.forEach((name, part) -> {
            if (!name.matches("[a-z][a-z-]{0,31}")) {
                throw new IllegalArgumentException("a part of a load is named by small letters and hyphens, not '" + name + "'");
            }
            check(name, part);
        });
    }

    private static void check(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + " is " + value + "; it is from 0 to 1");
        }
    }

    /** Returns the load of a node that does nothing. */
    public static Load none() {
        return new Load(0, Map.of());
    }

    /** Returns a load of one part. Values outside of the bounds become the nearest bound. */
    public static Load of(String part, double value) {
        double bounded = Double.isNaN(value) ? 0 : Math.clamp(value, 0.0, 1.0);
        return new Load(bounded, Map.of(part, bounded));
    }
}
