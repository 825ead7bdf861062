package dev.tutti.blocks.coordination;

import dev.tutti.blocks.internal.Arguments;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Permits that this member has been granted, and the fencing token that goes with them.
 *
 * <p>They are the member's as long as it is in every primary view, until it gives them back. When it finds itself outside of the
 * primary partition they are lost, at once and for good; the others give them to somebody else with the view in which it is
 * missing. <b>A member that stands still, or is cut off and has not noticed yet, takes itself for the holder while somebody
 * else is it.</b> What is protected has to refuse a token lower than one that it has seen.
 *
 * <p>All methods may be called from any thread.
 */
public final class Hold implements AutoCloseable {

    private final Claims claims;
    private final Claims.Claim claim;
    private final String name;
    private final long token;
    private @Nullable String lostBecause;
    private @Nullable Consumer<String> onLost;

    Hold(Claims claims, Claims.Claim claim, String name, long token) {
        this.claims = claims;
        this.claim = claim;
        this.name = name;
        this.token = token;
    }

    /**
     * Higher than that of everything that was granted in this group before, under any name; over restarts of all members too, as
     * long as a majority of the last primary view's records is not lost ({@code records.directory}). Not dense.
     */
    public long token() {
        return token;
    }

    /** Whether it is held, as far as this member knows. */
    public boolean isHeld() {
        return claims.isHeld(claim);
    }

    /**
     * Says what to do when it is lost without having been given back, with the reason; at once if it is already. Called once, on
     * the thread that takes the group's messages, and must not wait. Replaces what was said before.
     */
    public Hold onLost(Consumer<String> listener) {
        Arguments.required(listener, "onLost: the listener");
        String reason;
        synchronized (this) {
            onLost = listener;
            reason = lostBecause;
        }
        if (reason != null) {
            listener.accept(reason);
        }
        return this;
    }

    void lose(String reason) {
        Consumer<String> listener;
        synchronized (this) {
            lostBecause = reason;
            listener = onLost;
        }
        if (listener != null) {
            claims.callbacks().call("onLost", listener, reason);
        }
    }

    /**
     * Gives it back. Completes when the group has done so, however long that takes: with whether it was held until then, and by
     * nobody else in between.
     */
    public CompletableFuture<Boolean> release() {
        return claims.release(claim);
    }

    /** Gives it back, and does not wait. Idempotent. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return name + " with token " + token;
    }
}
