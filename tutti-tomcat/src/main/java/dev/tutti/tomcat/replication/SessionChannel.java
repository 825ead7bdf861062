package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.concurrent.CompletableFuture;

/** Group as replication needs it: FIFO multicast and unicast, views, virtual synchrony. */
public interface SessionChannel extends AutoCloseable {

    /** Receives views and messages in the order of the group, one call at a time. */
    interface Listener {
        /**
         * @param self this member, which is in the view
         */
        void onView(View view, Member self);

        void onMessage(Member sender, byte[] message);

        /** Called after the last of the messages that arrived together. */
        void onBatchEnd();

        /** Called when the group is lost: nothing more arrives, and nothing can be sent. */
        void onClosed(String reason);
    }

    /**
     * The result of looking for other members when a group was joined.
     *
     * @param isKnown whether every place where another member may be was reached, or is known to have none
     * @param text for people
     */
    record JoinResult(boolean isKnown, String text) {}

    /** Joins a group. */
    @FunctionalInterface
    interface Source {
        /**
         * Joins the group {@code name}. Returns when the search for other members is over, and those that were found
         * are in a view that was passed to {@code listener}.
         */
        SessionChannel join(String name, Listener listener);
    }

    /**
     * Sends to all members, this one included, without waiting; in the order of the calls. The array must not be changed.
     *
     * @return completes when the message is accepted
     */
    CompletableFuture<Void> send(byte[] message);

    /** Sends to one member. May wait for flow control. Returns false if the member or the group is gone. */
    boolean sendTo(Member receiver, byte[] message);

    /**
     * Sends to one member, without waiting; in the order of the calls. The array must not be changed.
     *
     * @return completes when the message is accepted, or can't be sent
     */
    CompletableFuture<Void> post(Member receiver, byte[] message);

    /** Sends to one member if that is possible at once. Returns false if it is not, or the member or the group is gone. */
    boolean trySendTo(Member receiver, byte[] message);

    /** Returns, as of the join, whether there may be members that were not met. */
    default JoinResult joinResult() {
        return new JoinResult(true, "joined");
    }

    /** Leaves. Idempotent. */
    @Override
    void close();
}
