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

    /** Lets everybody in. */
    static Authenticator everybody() {
        return login -> Access.ALL;
    }
}
