package dev.tutti.netty.internal.tcp;

/**
 * Way of a connection to the other node.
 *
 * @param server rendezvous server that relays it, for people; empty for a direct one
 * @param peer the other node, or the address from which it has come to the server, for people
 */
record Route(String server, String peer) {

    static final Route DIRECT = new Route("", "");

    boolean isDirect() {
        return server.isEmpty();
    }
}
