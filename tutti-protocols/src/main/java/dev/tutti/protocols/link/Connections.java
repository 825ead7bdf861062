package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.driver.Effects;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connections of this node, by number: those that carry a session, and those whose handshake is not over. */
final class Connections {

    private final Effects effects;
    private final IntMap<LinkConnection> all = new IntMap<>();

    /** Connections whose handshake is not over, the oldest first. */
    private final LinkedHashMap<Integer, LinkConnection> handshakes = new LinkedHashMap<>();

    private int lastNumber;

    /** Number of accepted connections whose handshake is not over. */
    private int accepted;

    /** Time at which the first handshake may have taken too long. */
    private long deadlineNanos = Links.NEVER;

    Connections(Effects effects) {
        this.effects = effects;
    }

    @Nullable LinkConnection get(int number) {
        return all.get(number);
    }

    /**
     * Dials a node.
     *
     * @param expected node that was last found there; null if not known
     * @param resuming link that dials to resume; null if there is none
     */
    LinkConnection dial(String address, @Nullable NodeId expected, @Nullable Link resuming) {
        LinkConnection connection = dialed(address, expected, resuming);
        effects.dial(connection.number, address);
        return connection;
    }

    /** Dials the node of a link whose connection is relayed, without a server in between. */
    LinkConnection dialDirectly(Link link) {
        LinkConnection connection = dialed(link.node().address(), link.node(), link);
        connection.isDirect = true;
        effects.dialDirectly(connection.number, connection.address);
        return connection;
    }

    private LinkConnection dialed(String address, @Nullable NodeId expected, @Nullable Link resuming) {
        LinkConnection connection = new LinkConnection(++lastNumber, true, address, expected, resuming);
        add(connection);
        return connection;
    }

    LinkConnection accept(String remote) {
        LinkConnection connection = new LinkConnection(++lastNumber, false, remote, null, null);
        connection.isConnected = true;
        add(connection);
        accepted++;
        return connection;
    }

    private void add(LinkConnection connection) {
        all.put(connection.number, connection);
        handshakes.put(connection.number, connection);
    }

    /** Removes and returns a connection that has ended; null if it is not known any more. */
    @Nullable LinkConnection remove(int number) {
        LinkConnection connection = all.remove(number);
        if (connection != null) {
            endHandshake(connection);
        }
        return connection;
    }

    /** Closes and forgets a connection. */
    void close(LinkConnection connection, String reason) {
        remove(connection.number);
        effects.close(connection.number, reason);
    }

    // ------------------------------------------------------------------ handshakes

    /** Returns a copy of the connections whose handshake is not over, the oldest first. */
    List<LinkConnection> handshakes() {
        return List.copyOf(handshakes.values());
    }

    int handshakeCount() {
        return handshakes.size();
    }

    boolean isInHandshake(LinkConnection connection) {
        return handshakes.containsKey(connection.number);
    }

    /** Returns the number of accepted connections whose handshake is not over. */
    int accepted() {
        return accepted;
    }

    /** Returns the oldest accepted connection whose handshake is not over; null if there is none. */
    @Nullable LinkConnection oldestAccepted() {
        for (LinkConnection connection : handshakes.values()) {
            if (!connection.isDialed) {
                return connection;
            }
        }
        return null;
    }

    /** Notes that a connection carries a session from now on. */
    void onSession(LinkConnection connection) {
        endHandshake(connection);
        connection.deadlineNanos = Links.NEVER;
    }

    private void endHandshake(LinkConnection connection) {
        if (handshakes.remove(connection.number) != null && !connection.isDialed) {
            accepted--;
        }
    }

    /** Sets the time by which a handshake has to be over. */
    void setDeadline(LinkConnection connection, long nanos) {
        connection.deadlineNanos = nanos;
        deadlineNanos = Math.min(deadlineNanos, nanos);
    }

    long nextDeadline() {
        return deadlineNanos;
    }

    /** Finds the first deadline again after handshakes have ended. */
    void updateDeadline() {
        deadlineNanos = Links.NEVER;
        for (LinkConnection connection : handshakes.values()) {
            deadlineNanos = Math.min(deadlineNanos, connection.deadlineNanos);
        }
    }
}
