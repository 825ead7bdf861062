package dev.tutti.blocks.internal.calls;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.core.Member;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The sender of calls' messages. It never waits: answers are sent by the thread that takes messages in, and two members
 * that both waited there for the other to take a message would wait for ever.
 */
public final class Line {

    /** Called with messages that can't be sent. */
    public interface Unsent {

        /** @param receiver null for all members */
        void onUnsent(@Nullable Member receiver, SendException reason);
    }

    private final CompletableFuture<Group> joining;
    private volatile @Nullable Group group;

    public Line(CompletableFuture<Group> joining) {
        this.joining = joining;
        joining.thenAccept(joined -> group = joined);
    }

    /**
     * Sends when that is possible.
     *
     * @param receiver null for all members
     * @param out may be reused when this returns
     */
    public void send(@Nullable Member receiver, ByteOutput out, Unsent unsent) {
        Group open = group;
        if (open == null) {
            // A member that has this one in its view already may call before our join has returned.
            byte[] copy = out.copy();
            joining.thenAccept(joined -> sendLater(joined, receiver, copy, unsent));
            return;
        }
        try {
            boolean isSent = receiver == null
                    ? open.trySend(out.array(), 0, out.length())
                    : open.trySendTo(receiver, out.array(), 0, out.length());
            if (!isSent) {
                sendLater(open, receiver, out.copy(), unsent);
            }
        } catch (SendException e) {
            unsent.onUnsent(receiver, e);
        }
    }

    private static void sendLater(Group open, @Nullable Member receiver, byte[] bytes, Unsent unsent) {
        CompletableFuture<Void> accepted;
        try {
            accepted = receiver == null ? open.sendAsync(bytes) : open.sendToAsync(receiver, bytes);
        } catch (SendException e) {
            unsent.onUnsent(receiver, e);
            return;
        }
        accepted.whenComplete((done, failure) -> {
            if (failure instanceof SendException e) {
                unsent.onUnsent(receiver, e);
            }
        });
    }
}
