package dev.tutti;

import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;

/**
 * What an application makes of a group's messages, and hands over to members that come later.
 *
 * <p>The <em>cut</em> is where a newcomer's first view stands among the messages. Each member that has the state takes a
 * snapshot there, before the view is told; the newcomer installs one of them, and then gets the view and what came after
 * it, each message once, in order. {@code docs/design/state.md}.
 */
public interface GroupState {

    /**
     * The state now. Called where listeners are called, in order with messages and views, so that nothing changes
     * meanwhile that messages change; messages wait for it, so it has to be quick.
     *
     * <p>Messages that were sent {@link Scope#OUT_OF_BAND} are in no order with it.
     */
    Snapshot snapshot();

    /**
     * Takes over a state; what was there before counts no more. On a thread of its own; listeners are not called before it
     * returns, and it is not called before those of messages {@link Scope#OUT_OF_BAND} have returned. May be called again when the stream that it reads fails, and has to begin anew then; and later, when this
     * member comes back from a partition whose other side's state goes on.
     *
     * <p>{@code state.timeout} bounds both waits. If this method has neither returned nor called {@code read} for as long, the member
     * leaves the group, and {@code join} throws a {@link StateException} that says so. Its thread can't be stopped: it is left to
     * itself, what it reads from then on fails with an {@code IOException}, what it returns counts for nothing, and {@link
     * GroupBuilder#onClosed} is called while it may still run. If a listener of a message out of band does not return for as long, the
     * member leaves without installing. Such a listener must not wait for messages in order: they wait for the state.
     *
     * @throws IOException as {@code in} has thrown it; any other exception ends the membership
     */
    void install(InputStream in) throws IOException;

    /**
     * Takes over a state, as {@link #install(InputStream)}, and is told what it replaces. What is called; by default it calls that
     * method.
     *
     * <p>After a partition, the side whose state does not go on installs that of the other: {@link Replacement#isMerge} is true then,
     * and what this side alone has seen is lost unless it is handed over: read the new state, compare it with the old one, and
     * {@link Replacement#handOver} the messages that make good what is missing. They go to all members in the new view.
     */
    default void install(InputStream in, Replacement replacement) throws IOException {
        install(in);
    }

    /** What an installed state replaces. */
    interface Replacement {

        /** The view at whose cut the state was taken. */
        View view();

        /**
         * Whether this member had the state of another part of the group, which it gives up: after a partition. False for a newcomer,
         * which had none.
         */
        boolean isMerge();

        /**
         * Sends a message to all members, this one included, in order with what else is sent to all, once this member has the state
         * and was told the view. Never waits; the messages of one replacement have 64 MiB at most.
         *
         * @throws IllegalStateException beyond that
         */
        void handOver(byte[] message);
    }

    /**
     * Whether snapshots that different members have taken at one cut are the same to the byte. If so, a transfer whose
     * provider has died goes on in the middle, with another one; else it begins anew.
     */
    default boolean isReproducible() {
        return false;
    }

    /**
     * Whether {@link #install} changes nothing before it has read its stream to the end, where {@code read} returns -1. If
     * so, this member goes on with what it has if all who have the other state are gone before: the stream fails, and when
     * {@code install} has thrown that, listeners are called again. Else it leaves the group then. {@code install} must not
     * return before it has read the end.
     */
    default boolean isAtomic() {
        return false;
    }
}
