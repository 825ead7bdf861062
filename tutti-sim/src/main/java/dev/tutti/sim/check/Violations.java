package dev.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;

/** Violations found so far, the first 20 of them. */
final class Violations {

    private static final int COUNT_MAX = 20;

    private final List<Violation> found = new ArrayList<>();

    /** Notes that a property is violated. Does nothing once 20 are known. */
    void report(String property, String text) {
        if (found.size() < COUNT_MAX) {
            found.add(new Violation(property, text));
        }
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    int count() {
        return found.size();
    }

    List<Violation> all() {
        return List.copyOf(found);
    }

    /** Forgets all but the first {@code count}. */
    void keepFirst(int count) {
        found.subList(count, found.size()).clear();
    }
}
