package dev.tutti.internal.discovery;

/**
 * State of one source of addresses, for people.
 *
 * @param name unique in the node
 * @param listed addresses in the last list
 * @param looks lists that were read
 * @param failures calls that have failed
 * @param announced times that this node's entry was made
 * @param removed entries of other nodes that were removed
 * @param cut addresses that lists had beyond their greatest length
 * @param problem the present failure; empty if the last call succeeded
 */
record SourceState(
        String name, int listed, long looks, long failures, long announced, long removed, long cut, String problem) {

    boolean isFailing() {
        return !problem.isEmpty();
    }

    /** Returns the state in a sentence. */
    String text() {
        return isFailing() ? "fails: " + problem : "lists " + listed + (listed == 1 ? " address" : " addresses");
    }

    SourceState withLook(int found, long entriesRemoved) {
        return new SourceState(name, found, looks + 1, failures, announced, removed + entriesRemoved, cut, problem);
    }

    SourceState withAnnouncement() {
        return new SourceState(name, listed, looks, failures, announced + 1, removed, cut, problem);
    }

    SourceState withFailure(String text) {
        return new SourceState(name, listed, looks, failures + 1, announced, removed, cut, text);
    }

    SourceState withoutProblem() {
        return new SourceState(name, listed, looks, failures, announced, removed, cut, "");
    }

    SourceState withCut(int addresses) {
        return new SourceState(name, listed, looks, failures, announced, removed, cut + addresses, problem);
    }
}
