package dev.tutti.stomp;

import dev.tutti.Subscription;
import java.util.Map;

/**
 * Destinations of a server that belong to no group. The source takes the messages that clients send there, and gives subscribers the
 * messages that it has for them. Each member has its own source, and the server passes nothing from one to the other.
 *
 * <p>Both methods are called on threads that serve clients, and must not block. If they throw, the client gets the exception's message in
 * an ERROR and is disconnected.
 */
public interface StompSource {

    /** A subscription of a client, as its source sees it. */
    interface Receiver {

        /**
         * Passes a message to the client. Blocks while too many wait for a client that does not read. Does nothing once the subscription
         * has ended. Not to be called on the thread of {@link #subscribe}.
         *
         * @param destination destination of the message, without wildcards
         * @param headers further headers
         */
        void onMessage(String destination, Map<String, String> headers, byte[] body);
    }

    /**
     * Takes a message of a client, whose receipt says that this method has returned.
     *
     * @param headers headers of the SEND that are for subscribers
     * @throws IllegalArgumentException if the source can't take it
     */
    void send(String destination, Map<String, String> headers, byte[] body);

    /**
     * Begins a subscription.
     *
     * @param destination as the client wrote it, perhaps with wildcards
     * @param headers headers of the SUBSCRIBE
     * @return the subscription, which the server closes, on a thread of its own
     * @throws IllegalArgumentException if there is nothing to subscribe to
     */
    Subscription subscribe(String destination, Map<String, String> headers, Receiver receiver);
}
