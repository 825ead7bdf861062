package dev.tutti.core.admission;

/**
 * Place outside a node's machine where it is decided which nodes may come in. The machine asks when it drains, {@link #decide}
 * returns at once, and the answer is an input of a later turn.
 */
@FunctionalInterface
public interface AdmissionDesk {

    /**
     * Answer to a question.
     *
     * @param isAdmitted whether the node may come in
     * @param isLater whether the node may come back soon: nobody has decided about it
     * @param reason reason of a refusal, for people at this node; printable
     */
    record Answer(boolean isAdmitted, boolean isLater, String reason) {

        static final Answer ADMITTED = new Answer(true, false, "");

        public static Answer admitted() {
            return ADMITTED;
        }

        public static Answer refused(String reason) {
            return new Answer(false, false, reason);
        }

        /** Returns the answer to a question for which there was no room. */
        public static Answer overloaded(String reason) {
            return new Answer(false, true, reason);
        }
    }

    /** @param connection number of the question */
    void decide(int connection, Newcomer newcomer);
}
