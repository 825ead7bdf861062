package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.Machine;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * TLS handshakes of connections that are being opened: between the stream of each connection and the driver, which
 * computes. A connection reaches the hosted machine when its other end is authenticated, and a dialled one when it is
 * known that the other end trusts this one.
 */
final class Handshakes {

    /** Node that the connections belong to. */
    interface Owner {

        /** Lets the connection send at the end of the turn. */
        void touch(DatagramConnection connection);

        /** Drops a connection that was never open. */
        void forget(DatagramConnection connection);

        /** Sends now what a connection has to send. */
        void flush(DatagramConnection connection);
    }

    /** Accepted connections without keys; the driver evicts those of the busiest host long before. */
    private static final int ACCEPTED_MAX = 2_048;

    private final Owner owner;
    private final Machine node;
    private final DatagramConnections connections;
    private final long timeoutNanos;
    private final ArrayDeque<Consumer<DatagramEffects>> queue = new ArrayDeque<>();
    private int accepted;

    Handshakes(Owner owner, Machine node, DatagramConnections connections, long timeoutNanos) {
        this.owner = owner;
        this.node = node;
        this.connections = connections;
        this.timeoutNanos = timeoutNanos;
    }

    /** Returns the number of accepted connections whose other ends are not authenticated. */
    int accepted() {
        return accepted;
    }

    /** Returns whether another accepted connection may begin. */
    boolean hasRoom() {
        return accepted < ACCEPTED_MAX;
    }

    // ------------------------------------------------------------------ from the node

    /** Begins the handshake of a connection whose two ends know each other's ids. */
    void begin(DatagramConnection connection, Endpoint with, long nowNanos) {
        long id = connection.localId;
        boolean isDialed = connection.isDialed();
        if (!isDialed) {
            accepted++;
            connection.opening.limit(nowNanos + timeoutNanos);
        }
        queue.add(effects -> effects.beginHandshake(id, with, isDialed));
        owner.touch(connection);
    }

    /**
     * Takes a datagram of the other end's handshake, of which the id has been read. The caller releases it.
     *
     * @return false if it is malformed
     */
    boolean onDatagram(DatagramConnection connection, Packet datagram, long nowNanos) {
        HandshakeStream stream = connection.handshake;
        if (stream == null || !stream.onChunk(datagram, nowNanos)) {
            return false;
        }
        if (connection.state == DatagramConnection.State.SECURING && !datagram.isEmpty()) {
            long id = connection.localId;
            Packet bytes = datagram.slice();
            queue.add(effects -> effects.handshake(id, bytes));
        }
        owner.touch(connection);
        return true;
    }

    /** Ends a connection that was never open. */
    void fail(DatagramConnection connection, DialFailure failure, String detail, long nowNanos) {
        owner.forget(connection);
        if (connection.isDialed()) {
            node.onDialFailed(nowNanos, connection.number, failure, detail);
        } else if (failure == DialFailure.UNTRUSTED && !detail.isEmpty()) {
            node.onRejected(nowNanos, connection.address, detail);
        }
    }

    /** Notes that a connection is about to be dropped, for whatever reason. */
    void onForgotten(DatagramConnection connection) {
        if (connection.state == DatagramConnection.State.OPENING) {
            return;
        }
        if (connection.state == DatagramConnection.State.SECURING && !connection.isDialed()) {
            accepted--;
        }
        long id = connection.localId;
        queue.add(effects -> effects.endHandshake(id));
    }

    void drain(DatagramEffects effects) {
        Consumer<DatagramEffects> next = queue.poll();
        while (next != null) {
            next.accept(effects);
            next = queue.poll();
        }
    }

    // ------------------------------------------------------------------ from the driver

    /** Returns the connection that is in its handshake under this id; null if there is none. */
    private @Nullable DatagramConnection find(long id) {
        DatagramConnection connection = connections.find(id);
        return connection != null && connection.state == DatagramConnection.State.SECURING ? connection : null;
    }

    void onBytes(long id, byte[] bytes, long nowNanos) {
        DatagramConnection connection = find(id);
        if (connection == null || connection.handshake == null) {
            return;
        }
        if (connection.handshake.write(bytes, nowNanos)) {
            owner.touch(connection);
        } else {
            fail(connection, DialFailure.UNTRUSTED,
                    "the TLS handshake of this node is longer than " + HandshakeStream.BYTES_MAX + " bytes: shorten"
                            + " tls.certificate",
                    nowNanos);
        }
    }

    void onSecured(long id, byte[] sendSecret, byte[] receiveSecret, Credentials credentials, long nowNanos) {
        DatagramConnection connection = find(id);
        if (connection == null || connection.isSecured()) {
            return;
        }
        connection.onSecured(sendSecret, receiveSecret, credentials);
        if (!connection.isDialed()) {
            accepted--;
            connection.number = node.onAccepted(nowNanos, connection.address);
            connections.onNumber(connection);
            connection.confirm();
            node.onCredentials(nowNanos, connection.number, credentials);
        }
        owner.touch(connection);
    }

    void onFailed(long id, String detail, long nowNanos) {
        DatagramConnection connection = find(id);
        if (connection != null) {
            // The other end is told why, once, since the connection is forgotten.
            owner.flush(connection);
            fail(connection, DialFailure.UNTRUSTED, detail, nowNanos);
        }
    }
}
