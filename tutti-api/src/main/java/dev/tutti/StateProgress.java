package dev.tutti;

import dev.tutti.core.Member;
import org.jspecify.annotations.Nullable;

/**
 * How far a member is on its way to the group's state.
 *
 * @param phase what it does
 * @param provider whom it gets the state from; null if from nobody now
 * @param bytes of the state that were taken over so far; of the last transfer, when it is over
 * @param totalBytes how many there will be; negative if that is not known
 * @param heldBytes messages that wait for the state
 * @param resumed how often another provider has gone on with the transfer
 * @param restarted how often a transfer had to begin anew
 */
public record StateProgress(
        Phase phase,
        @Nullable Member provider,
        long bytes,
        long totalBytes,
        long heldBytes,
        int resumed,
        int restarted) {

    /** What a member does. */
    public enum Phase {
        /** Members of the view find out whose state goes on. */
        AGREEING,
        /** The state is coming. */
        INSTALLING,
        /** The member has the state. */
        COMPLETE
    }
}
