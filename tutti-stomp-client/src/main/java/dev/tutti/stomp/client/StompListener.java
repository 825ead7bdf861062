package dev.tutti.stomp.client;

/**
 * Listener of a subscription. A client calls its listeners one after the other, on a thread of its own. They may block, send, and wait
 * for receipts; meanwhile messages wait, and beyond {@link StompClientBuilder#queue} the server is not read from.
 */
@FunctionalInterface
public interface StompListener {

    /** Called for each message, in the order in which the server has sent them. */
    void onMessage(StompMessage message);

    /**
     * Called where messages may be missing, between those before and those after it. Their number is not known.
     *
     * @param reason reason, as a sentence for people
     */
    default void onGap(String reason) {}

    /**
     * Called when a server has refused the subscription, which is over then.
     *
     * @param reason reason, as a sentence for people
     */
    default void onRefused(String reason) {}
}
