package dev.tutti.blocks.coordination;

import dev.tutti.blocks.internal.argument.Arguments;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Permits that this member has been granted, and the fencing token that goes with them.
 *
 * <p>They are the member's as long as it is in every primary view, until it gives them back. When it finds itself
 * outside of the primary partition they are lost, at once and for good; the others grant them to another member with
 * the view that excludes this one. <b>A member that is stopped, or cut off without having noticed yet, still takes
 * itself for the holder while another member is.</b> The protected resource has to refuse a token lower than one that
 * it has seen.
 *
 * <p>All methods may be called from any thread.
 */
public final class Hold implements AutoCloseable {

    private final Leases leases;
    private final Leases.Claim claim;
    private final String name;
    private final long token;
    private @Nullable String lostBecause;
    private @Nullable Consumer<String> onLost;

    Hold(Leases leases, Leases.Claim claim, String name, long token) {
        this.leases = leases;
        this.claim = claim;
        this.name = name;
        this.token = token;
    }

    /**
     * Returns the token, which is higher than all that were granted in this group before, under any name; over restarts
     * of all members, too, as long as a majority of the last primary view's records is not lost ({@code
     * records.directory}). Not dense.
     */
    public long token() {
        return token;
    }

    /** Returns whether it is held, as far as this member knows. */
    public boolean isHeld() {
        return leases.isHeld(claim);
    }

    /**
     * Sets a listener for a loss without giving it back, called with the reason; at once if it is lost already. Called
     * once, on the thread that takes the group's messages, and must not wait. Replaces an earlier listener.
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
            leases.callbacks().call("onLost", listener, reason);
        }
    }

    /**
     * Gives it back. Completes when the group has done so, however long that takes, with whether it was held without a
     * break until then.
     */
    public CompletableFuture<Boolean> release() {
        return leases.release(claim);
    }

    /** Gives it back without waiting. Idempotent. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return name + " with token " + token;
    }
}
