package dev.tutti.campaign.application;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Promises that a run has broken, by their names in docs/guarantees.md. */
final class Findings {

    /** A broken promise. */
    record Finding(String property, String text) {
        @Override
        public String toString() {
            return property + ": " + text;
        }
    }

    /** Receiver of broken promises of one member or block. */
    @FunctionalInterface
    interface Reporter {

        /** @param text what has happened, as the predicate of a sentence about the member */
        void report(String property, String text);
    }

    private final List<Finding> all = new ArrayList<>();

    void report(String property, String text) {
        if (all.size() < FINDINGS_MAX) {
            all.add(new Finding(property, text));
        }
    }

    List<Finding> all() {
        return Collections.unmodifiableList(all);
    }

    private static final int FINDINGS_MAX = 20;
}
