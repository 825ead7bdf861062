package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.concurrent.CompletableFuture;

/**
 * A member's handle on its group.
 *
 * <p>All methods may be called from any thread, listeners included. What one thread sends is delivered in that order at
 * every member, the sender included; see {@code docs/guarantees.md}.
 */
public final class Group implements AutoCloseable {

    Group() {}

    public String name() {
        throw new UnsupportedOperationException();
    }

    /** This member. */
    public Member self() {
        throw new UnsupportedOperationException();
    }

    /** The view that was installed last; listeners may still be at an earlier one. */
    public View view() {
        throw new UnsupportedOperationException();
    }

    /**
     * Sends to all members of the view, this one included. Blocks while the window is closed or a view changes.
     *
     * @throws SendException if it can't proceed within {@code send-timeout}, or the group is left
     */
    public void send(byte[] message) {
        throw new UnsupportedOperationException();
    }

    /** Sends a range of an array, which may be used again when the method returns. */
    public void send(byte[] message, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    /** Sends text as UTF-8. */
    public void send(String text) {
        throw new UnsupportedOperationException();
    }

    /** Sends to one member, which may be this one. In order with what else is sent to that member alone. */
    public void sendTo(Member receiver, byte[] message) {
        throw new UnsupportedOperationException();
    }

    /** Sends if that is possible at once. {@link #waitsFor} says why it was not. */
    public boolean trySend(byte[] message) {
        throw new UnsupportedOperationException();
    }

    /** Sends when that is possible; completes when the message is accepted. The array must not change until then. */
    public CompletableFuture<Void> sendAsync(byte[] message) {
        throw new UnsupportedOperationException();
    }

    /** What a send would wait for now, for people; empty if it would proceed. */
    public String waitsFor() {
        throw new UnsupportedOperationException();
    }

    /** Sends what was accepted, says goodbye and leaves, within {@code leave-timeout}. Idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
