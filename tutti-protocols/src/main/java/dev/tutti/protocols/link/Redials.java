package dev.tutti.protocols.link;

/**
 * Dials to the nodes whose sessions have lost their connection: at once, and then after growing delays as long as the
 * session lives. Each shows whether the other side is still there.
 */
final class Redials {

    /** Time-out of a dial beside a silent connection. TCP resends a lost SYN only after a second (RFC 6298, 2.1). */
    private static final long BESIDE_NANOS = 500_000_000;

    /** Time-out of a direct dial beside a relayed connection. */
    private static final long DIRECT_NANOS = 2_000_000_000;

    private final Connections connections;

    /** Time at which the first attempt may be due. */
    private long deadlineNanos = Links.NEVER;

    Redials(Connections connections) {
        this.connections = connections;
    }

    long nextDeadline() {
        return deadlineNanos;
    }

    /** Makes the first attempt after the session has lost its connection. */
    void restart(Link link) {
        link.resumption.restart();
        LinkConnection direct = link.resumption.dialed();
        if (direct != null && direct.isDirect && !direct.isConnected) {
            // It may take long, and a server may be quicker. The other side does not count on it: it has not sent HELLO.
            link.resumption.take();
            connections.close(direct, "any connection is wanted now");
        }
        redial(link);
    }

    /** Makes an attempt, unless the session has a connection or one is being made. */
    void redial(Link link) {
        link.resumption.onDue();
        if (link.isOpen() && link.connection == null && link.resumption.dialed() == null) {
            dial(link);
        }
    }

    /** Dials beside the connection of the session, which is silent. */
    void beside(Link link, long nowNanos) {
        if (link.isOpen() && link.connection != null && link.resumption.dialed() == null) {
            connections.setDeadline(dial(link), nowNanos + BESIDE_NANOS);
        }
    }

    /** Notes that the session has a connection now. */
    void onAttached(Link link, LinkConnection connection, long nowNanos) {
        link.resumption.onAttached(!connection.relay.isEmpty(), nowNanos);
        deadlineNanos = Math.min(deadlineNanos, link.resumption.directDueNanos());
    }

    /** Dials directly beside the relayed connection of the session, which the new one replaces if it is answered. */
    private void direct(Link link, long nowNanos) {
        link.resumption.onDirectDue(nowNanos);
        if (link.isOpen() && link.connection != null && link.resumption.dialed() == null) {
            LinkConnection connection = connections.dialDirectly(link);
            link.resumption.onDialed(connection);
            connections.setDeadline(connection, nowNanos + DIRECT_NANOS);
        }
    }

    private LinkConnection dial(Link link) {
        LinkConnection connection = connections.dial(link.node().address(), link.node(), link);
        link.resumption.onDialed(connection);
        return connection;
    }

    /**
     * Takes the end of an attempt that has not resumed the session.
     *
     * @param isAgain whether the other side was there, and has to be dialled with what is known of it now
     */
    void missed(Link link, boolean isAgain, long nowNanos) {
        if (isAgain && link.resumption.isAtOnce()) {
            redial(link);
        } else {
            later(link, nowNanos);
        }
    }

    /** Makes the next attempt after a delay. */
    void later(Link link, long nowNanos) {
        long delayNanos = link.resumption.delayNanos();
        if (link.isOpen() && link.connection == null) {
            link.resumption.setDue(nowNanos + delayNanos);
            deadlineNanos = Math.min(deadlineNanos, link.resumption.dueNanos());
        }
    }

    /** Makes the attempts that are due. {@link #updateDeadline} has to follow. */
    void onTimer(Iterable<Link> links, long nowNanos) {
        for (Link link : links) {
            if (link.resumption.dueNanos() <= nowNanos) {
                redial(link);
            }
            if (link.resumption.directDueNanos() <= nowNanos) {
                direct(link, nowNanos);
            }
        }
    }

    void updateDeadline(Iterable<Link> links) {
        deadlineNanos = Links.NEVER;
        for (Link link : links) {
            deadlineNanos = Math.min(deadlineNanos, link.resumption.dueNanos());
            deadlineNanos = Math.min(deadlineNanos, link.resumption.directDueNanos());
        }
    }
}
