package dev.tutti.stomp;

import org.jspecify.annotations.Nullable;

/** Decides who may connect. */
@FunctionalInterface
public interface Authenticator {

    /**
     * What the one who logs in may do; null refuses. Called on a virtual thread of its own for each CONNECT, so that it may
     * block, for as long as {@code stomp.connect-timeout} allows. What it throws refuses as well, and is logged.
     */
    @Nullable Access authenticate(Login login) throws Exception;

    /**
     * Whether somebody might guess what opens. After log-ins that were refused, further ones from the same address, or with the
     * same login, are looked at later then, after 4 s at most. Keys of 100 random bits and more need no such delay.
     */
    default boolean mayBeGuessed() {
        return true;
    }

    /** Lets everybody in. */
    static Authenticator everybody() {
        return login -> Access.ALL;
    }
}
