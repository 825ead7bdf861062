package dev.tutti.stomp.internal.codec;

import java.util.Locale;

/** Reasons to send a client ERROR and disconnect it; each has a counter of its own. */
public enum StompFault {
    MALFORMED("frames that are no STOMP of the version in use"),
    HEAD_TOO_LARGE("frames with more or longer headers than stomp.headers-max, stomp.header-length-max and stomp.head-max allow"),
    BODY_TOO_LARGE("frames with a body beyond stomp.body-max"),
    UNEXPECTED("frames that are right by themselves and wrong where they came"),
    VERSION("clients that accept no version of STOMP that is spoken here"),
    LOGIN("log-ins that were refused or failed"),
    FORBIDDEN("destinations that a client may not use"),
    NO_DESTINATION("destinations that belong to no group that is served"),
    SUBSCRIPTIONS("clients beyond stomp.subscriptions-max"),
    TRANSACTIONS("clients beyond stomp.transactions-max or stomp.transaction-max"),
    UNACKED("clients beyond stomp.unacked-max"),
    RECEIPTS("clients beyond stomp.receipts-max"),
    SLOW("clients that did not read what waited for them, beyond stomp.client-buffer"),
    MEMORY("clients that held the most when all together went beyond stomp.memory"),
    SILENT("clients without a heart-beat"),
    TIMEOUT("clients that did not finish in time what they had begun: stomp.connect-timeout, stomp.frame-timeout"),
    CLIENTS("clients beyond stomp.clients-max, and connections beyond stomp.strangers-max"),
    RESUME("subscriptions that can't be resumed, because what they miss is no longer kept"),
    SOURCE("messages and subscriptions that a source of destinations has refused"),
    GROUP("clients of a group that this member has lost"),
    CLOSING("clients that were connected when the server closed"),
    TRANSPORT("WebSocket or TLS handshakes that failed");

    private final String description;

    StompFault(String description) {
        this.description = description;
    }

    /** Returns the name in ERROR frames and counters, such as {@code head-too-large}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the description of the counter. */
    public String description() {
        return description;
    }
}
