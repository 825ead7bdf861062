package dev.tutti;

import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;

/**
 * State that an application derives from a group's messages, and that is transferred to members that join later.
 *
 * <p>The <em>cut</em> is the place of a newcomer's first view among the messages. Each member that has the state takes
 * a snapshot there, before the view is told. The newcomer installs one of them, then gets the view and the messages
 * after it, each once, in order. {@code docs/design/state.md}.
 */
public interface GroupState {

    /**
     * Returns a snapshot of the present state. Called where listeners are called, in order with messages and views, so
     * that no message changes the state meanwhile. Messages wait for it, so it has to be quick.
     *
     * <p>Messages that were sent {@link Scope#OUT_OF_BAND} are not ordered with it.
     */
    Snapshot snapshot();

    /**
     * Replaces the current state by the one in the stream. Runs on a thread of its own. Listeners are not called before
     * it returns, and it is not called before those of messages {@link Scope#OUT_OF_BAND} have returned. It may be
     * called again: when the stream that it reads fails, and has to begin anew then; and later, when this member comes
     * back from a partition and the state of the other side continues.
     *
     * <p>{@code state.timeout} bounds both waits. If this method has neither returned nor called {@code read} for that
     * long, the member leaves the group, and {@code join} throws a {@link StateException} that says so. Its thread
     * can't be stopped and is abandoned: further reads fail with an {@code IOException}, its result is ignored, and
     * {@link GroupBuilder#onClosed} is called while it may still run. If a listener of a message out of band does not
     * return for that long, the member leaves without installing. Such a listener must not wait for messages in order:
     * they wait for the state.
     *
     * @throws IOException as thrown by {@code in}; any other exception ends the membership
     */
    void install(InputStream in) throws IOException;

    /**
     * Replaces the current state as {@link #install(InputStream)} does, with information on the state that it replaces.
     * This is the method that the group calls; by default it calls the other.
     *
     * <p>After a partition, the side whose state does not continue installs that of the other: {@link
     * Replacement#isMerge} is true then, and changes that only this side has seen are lost unless they are handed over.
     * Read the new state, compare it with the old one, and {@link Replacement#handOver} messages that restore the
     * missing changes. They go to all members in the new view.
     */
    default void install(InputStream in, Replacement replacement) throws IOException {
        install(in);
    }

    /** The state that is replaced by an installed one. */
    interface Replacement {

        /** Returns the view at whose cut the new state was taken. */
        View view();

        /**
         * Returns whether this member gives up the state of another part of the group, after a partition. False for a
         * newcomer, which had none.
         */
        boolean isMerge();

        /**
         * Sends a message to all members, this one included, in order with other messages to all, once this member has
         * the state and was told the view. Never waits. The messages of one replacement may have 64 MiB in total.
         *
         * @throws IllegalStateException beyond that
         */
        void handOver(byte[] message);
    }

    /**
     * Returns whether snapshots that different members have taken at one cut are the same to the byte. If so, a
     * transfer whose provider has died continues in the middle, with another provider; otherwise it begins anew.
     */
    default boolean isReproducible() {
        return false;
    }

    /**
     * Returns whether {@link #install} changes nothing before it has read its stream to the end, where {@code read}
     * returns -1. If so, this member keeps its present state if all members with the other state are gone before: the
     * stream fails, and listeners are called again once {@code install} has thrown that exception. Otherwise it leaves
     * the group then. {@code install} must not return before it has read the end.
     */
    default boolean isAtomic() {
        return false;
    }
}
