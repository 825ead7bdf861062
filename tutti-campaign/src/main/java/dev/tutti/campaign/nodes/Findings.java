package dev.tutti.campaign.nodes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Promises that a run has broken, by their names in docs/guarantees.md. */
public final class Findings {

    /** A broken promise. */
    public record Finding(String property, String text) {
        @Override
        public String toString() {
            return property + ": " + text;
        }
    }

    /** Receiver of broken promises of one member or block. */
    @FunctionalInterface
    public interface Reporter {

        /** @param text what has happened, as the predicate of a sentence about the member */
        void report(String property, String text);
    }

    private final List<Finding> all = new ArrayList<>();

    public void report(String property, String text) {
        if (all.size() < FINDINGS_MAX) {
            all.add(new Finding(property, text));
        }
    }

    /** Returns the first broken promises, as many as are kept. */
    public List<Finding> all() {
        return Collections.unmodifiableList(all);
    }

    private static final int FINDINGS_MAX = 20;
}
