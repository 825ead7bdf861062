package dev.tutti;

import dev.tutti.core.Member;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a member towards the group's state.
 *
 * @param phase present phase
 * @param provider member that sends the state; null if none does now
 * @param bytes bytes of the state that the application has read so far; of the last transfer, when it is over
 * @param totalBytes bytes that there will be; negative if that is not known
 * @param heldBytes bytes of messages that wait for the state
 * @param resumed number of times that another provider has continued the transfer
 * @param restarted number of times that a transfer had to begin anew
 */
public record StateProgress(
        Phase phase,
        @Nullable Member provider,
        long bytes,
        long totalBytes,
        long heldBytes,
        int resumed,
        int restarted) {

    /** The phases of a state transfer. */
    public enum Phase {
        /** The members of the view agree on whose state continues. */
        AGREEING,
        /** The state is being received and installed. */
        INSTALLING,
        /** The member has the state. */
        COMPLETE
    }
}
