package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.concurrent.CompletableFuture;

/** What replication needs of a group: FIFO multicast and unicast, views, virtual synchrony. */
public interface SessionChannel extends AutoCloseable {

    /** Is told, one call at a time, in the group's order of views and messages. */
    interface Listener {
        /**
         * @param self this member, which is in the view
         */
        void onView(View view, Member self);

        void onMessage(Member sender, byte[] message);

        /** The group is lost: nothing more comes, nothing can be sent. */
        void onClosed(String reason);
    }

    /** Joins a group. */
    @FunctionalInterface
    interface Source {
        /** Joins the group {@code name}; the first view is given to {@code listener} before this returns. */
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

    /** Leaves. Idempotent. */
    @Override
    void close();
}
