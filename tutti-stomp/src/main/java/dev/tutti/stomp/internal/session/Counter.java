package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.codec.StompFault;

/** Counters of a server, besides {@linkplain StompFault reasons to disconnect a client}. */
public enum Counter {
    ACCEPTED("connections that were accepted"),
    LOGGED_IN("clients that have logged in"),
    LOGINS_DELAYED("log-ins that were looked at later because others had failed before"),
    REQUESTS_FOREIGN_HOST("HTTP requests for a name that is not this server's (stomp.hosts)"),
    FRAMES_RECEIVED("frames received"),
    BYTES_RECEIVED("bytes received, without those of TLS and WebSocket"),
    MESSAGES_SENT("MESSAGE frames handed to clients' connections"),
    BYTES_SENT("bytes handed to clients' connections, without those of TLS"),
    RECEIPTS_SENT("RECEIPT frames"),
    PUBLISHED("messages of clients that groups have accepted"),
    DELIVERED("messages that groups have delivered here"),
    DELIVERED_MALFORMED("messages of a served group that no server has sent, and that were ignored"),
    ACKED("messages that clients have acknowledged"),
    NACKED("messages that clients have refused with NACK"),
    ACKS_UNKNOWN("ACK and NACK frames for a message that is not, or no longer, waiting"),
    RESUMED("messages sent again to subscriptions that were resumed"),
    PAUSES("times that a client was not read from because a group did not accept its message at once"),
    CONFIRMATIONS("receipts whose message all members had");

    private final String description;

    Counter(String description) {
        this.description = description;
    }

    /** Returns the description of the counter. */
    public String description() {
        return description;
    }
}
