package dev.tutti.stomp;

import org.jspecify.annotations.Nullable;

/** Decides who may connect. */
@FunctionalInterface
public interface Authenticator {

    /**
     * Returns the permissions of the client that logs in, or null to refuse it. Called on a virtual thread of its own
     * for each CONNECT, so it may block, for at most {@code stomp.connect-timeout}. An exception refuses the client,
     * too, and is logged.
     */
    @Nullable Access authenticate(Login login) throws Exception;

    /**
     * Returns whether credentials might be guessed. If so, attempts that follow refused ones from the same address, or
     * with the same login, are delayed, by at most 4 s. Keys of 100 random bits or more need no such delay.
     */
    default boolean mayBeGuessed() {
        return true;
    }

    /** Returns an authenticator that accepts every client, with all permissions. */
    static Authenticator everybody() {
        return login -> Access.ALL;
    }
}
