package dev.tutti.grid.match;

import dev.tutti.grid.match.Selector.Rest;

/** The rest of a selector, which filters of the index share. */
final class Condition {

    private final Rest rest;
    private final int number;

    /** Rules that have the selector. Only for the writer. */
    private int rules;

    Condition(Rest rest, int number) {
        this.rest = rest;
        this.number = number;
    }

    Rest rest() {
        return rest;
    }

    int number() {
        return number;
    }

    /** Adds to the number of rules, and returns it. */
    int addRules(int difference) {
        rules += difference;
        return rules;
    }
}
