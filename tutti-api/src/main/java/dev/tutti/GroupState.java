package dev.tutti;

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
     * returns. May be called again when the stream that it reads fails, and has to begin anew then; and later, when this
     * member comes back from a partition whose other side's state goes on.
     *
     * @throws IOException as {@code in} has thrown it; any other exception ends the membership
     */
    void install(InputStream in) throws IOException;

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
