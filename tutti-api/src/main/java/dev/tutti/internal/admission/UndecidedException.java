package dev.tutti.internal.admission;

/** Thrown if a rule can't be decided about a node, so that neither it nor its negation admits the node. */
final class UndecidedException extends Exception {

    private static final long serialVersionUID = 1;

    UndecidedException(String message) {
        super(message);
    }
}
