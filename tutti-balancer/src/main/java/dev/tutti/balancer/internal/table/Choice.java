package dev.tutti.balancer.internal.table;

import dev.tutti.announce.message.WebContext;

/** The decision for one request. */
public sealed interface Choice {

    /** Reasons for a node. */
    enum Reason {
        /** The session is at this node. */
        STICKY,
        /** The session was at a node that can't take the request. */
        FAILED_OVER,
        /** The request has no session, or sessions are not kept to their nodes. */
        FREE
    }

    /** The request goes to a node. */
    record Chosen(WebNode node, WebContext context, Reason reason) implements Choice {}

    /** The request has no node. */
    record Unserved(Cause cause) implements Choice {}

    /** Reasons for which a request has no node. */
    enum Cause {
        /** No node has announced a context for it. */
        NO_CONTEXT("no node has announced a context for this host and path"),
        /** All nodes of its context take no new sessions. */
        ALL_DRAINING("all nodes of this context are being drained or are stopped"),
        /** All nodes of its context have failed during this request. */
        ALL_FAILED("no node of this context could be reached");

        private final String text;

        Cause(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
