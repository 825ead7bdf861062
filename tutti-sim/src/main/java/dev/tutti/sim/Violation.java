package dev.tutti.sim;

/**
 * A promise that was not kept.
 *
 * @param property its standard name, as in docs/guarantees.md
 * @param text who, what, where
 */
public record Violation(String property, String text) {

    @Override
    public String toString() {
        return property + ": " + text;
    }
}
