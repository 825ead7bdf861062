package dev.tutti.blocks.machine;

import dev.tutti.GroupState;
import dev.tutti.core.Member;
import dev.tutti.core.View;

/**
 * What each member of a {@link Replica} runs: commands and views come to all in one order, and have the same effect at all.
 *
 * <p><b>Deterministic.</b> What {@link #apply} and {@link #onView} do, return and throw follows from the state and the
 * arguments alone: no clock, no randomness, no iteration in the order of hashes, nothing about this process. Whoever throws
 * leaves the state as it was.
 *
 * <p><b>Threads.</b> Called by one thread at a time, which must not wait; {@link #install} on a thread of its own, while
 * nothing else is called.
 *
 * @param <C> commands
 * @param <R> what becomes of a command, for the member that has submitted it
 */
public interface StateMachine<C, R> extends GroupState {

    /**
     * Executes a command.
     *
     * @param member who has submitted it
     * @return told to {@code member} alone; may be kept by it, and must not be changed afterwards
     */
    R apply(Member member, C command);

    /** A view, in order with commands. A newcomer installs the state as it was before it, and gets it first. */
    default void onView(View view) {}

    /**
     * The state is lost, or there was none: begins anew with the one that it was made with. Only of replicas that are {@link
     * ReplicaBuilder#onlyInPrimary}, and there with their first primary view too.
     *
     * @param era the epoch of the primary view that is about to be told; higher than all epochs before
     */
    default void begin(long era) {
        throw new UnsupportedOperationException(getClass() + " can't begin anew, and is not for primary partitions");
    }

    /**
     * All that was applied before stays: after each command, but in groups with safe delivery not before it is known to be at
     * all members, or the next view has come. For what a machine tells the outside by itself. Not deterministic.
     */
    default void onStable() {}
}
