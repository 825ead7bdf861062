package dev.tutti.blocks.machine;

import dev.tutti.GroupState;
import dev.tutti.core.Member;
import dev.tutti.core.View;

/**
 * The machine that each member of a {@link Replica} runs: all get commands and views in one order, with the same
 * effect.
 *
 * <p><b>Deterministic.</b> Effects, results and exceptions of {@link #apply} and {@link #onView} follow from the state
 * and the arguments alone: no clock, no randomness, no iteration in the order of hashes, nothing about this process. A
 * method that throws leaves the state as it was.
 *
 * <p><b>Threads.</b> Called by one thread at a time, which must not wait; {@link #install} on a thread of its own, while
 * nothing else is called.
 *
 * @param <C> commands
 * @param <R> results of commands, for the member that has submitted them
 */
public interface StateMachine<C, R> extends GroupState {

    /**
     * Executes a command.
     *
     * @param member that has submitted it
     * @return reported to {@code member} alone, which may keep it; must not be changed afterwards
     */
    R apply(Member member, C command);

    /** Handles a view, in order with commands. A newcomer installs the state from before its view first. */
    default void onView(View view) {}

    /**
     * Begins anew with the initial state, because the state is lost or there was none. Only for replicas that are
     * {@link ReplicaBuilder#onlyInPrimary}, and there with their first primary view, too.
     *
     * @param era the epoch of the primary view that follows; higher than all epochs before
     */
    default void begin(long era) {
        throw new UnsupportedOperationException(getClass() + " can't begin anew, and is not for primary partitions");
    }

    /**
     * Called when all commands applied so far are certain to stay: after each command, but in groups with safe delivery
     * not before it is known to be at all members, or the next view has come. For messages of a machine to the outside.
     * Not deterministic.
     */
    default void onStable() {}
}
