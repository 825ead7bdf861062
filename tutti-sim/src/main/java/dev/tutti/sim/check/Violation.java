package dev.tutti.sim.check;

/**
 * Violation of a guarantee.
 *
 * @param property its standard name, as in docs/guarantees.md
 * @param text the member, the event and the place
 */
public record Violation(String property, String text) {

    @Override
    public String toString() {
        return property + ": " + text;
    }
}
