package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.stack.Report;
import org.jspecify.annotations.Nullable;

/**
 * The exchange that opens connections: OPEN, answered by COOKIE until the sender's address is validated, then ACCEPT.
 * It tells each side the id of the other; who the other side is, a {@linkplain Handshakes handshake} shows.
 */
final class Openings {

    /** Node that the connections belong to. */
    interface Owner {

        /** Adds a connection with the hosted machine's number. */
        DatagramConnection add(int number, String address);

        /** Lets the connection send at the end of the turn. */
        void touch(DatagramConnection connection);
    }

    /** Bytes of an OPEN without checksum and kind. The answer to a shorter one would be longer than it. */
    private static final int OPEN_BODY_BYTES = Datagrams.OPEN_BYTES - Datagrams.CHECKSUM_BYTES - 1;

    private final Owner owner;
    private final Machine node;
    private final DatagramConnections connections;
    private final Handshakes handshakes;
    private final Keys keys;
    private final Replies replies;
    private final DatagramLimits limits;
    private final DatagramDrops drops;
    private final int magic;
    private final int otherMagic;
    private long cookiesSent;

    Openings(
            Owner owner,
            Machine node,
            DatagramConnections connections,
            Handshakes handshakes,
            Keys keys,
            Replies replies,
            DatagramLimits limits,
            DatagramDrops drops) {
        this.owner = owner;
        this.node = node;
        this.connections = connections;
        this.handshakes = handshakes;
        this.keys = keys;
        this.replies = replies;
        this.limits = limits;
        this.drops = drops;
        this.magic = limits.isSecure() ? Datagrams.MAGIC_SECURE : Datagrams.MAGIC;
        this.otherMagic = limits.isSecure() ? Datagrams.MAGIC : Datagrams.MAGIC_SECURE;
    }

    /** Returns the OPEN of a dialled connection, to be sealed and sent. */
    Packet open(DatagramConnection connection, long nowNanos) {
        connection.opening.onSent(nowNanos);
        return replies.create(Datagrams.OPEN_BYTES, Datagrams.OPEN)
                .appendInt(magic)
                .appendLong(connection.localId)
                .appendLong(connection.opening.cookie())
                .appendInt(limits.datagramBytesMax());
    }

    void onOpen(Endpoint from, Packet datagram, long nowNanos) {
        int length = datagram.length();
        int found = datagram.takeInt();
        long id = datagram.takeLong();
        long cookie = datagram.takeLong();
        int datagramBytesMax = datagram.takeInt();
        if (datagram.isMalformed() || found != magic && found != otherMagic || length < OPEN_BODY_BYTES) {
            drops.count(DatagramDrops.Reason.MALFORMED);
            return;
        }
        if (found == otherMagic) {
            drops.count(DatagramDrops.Reason.OTHER_SECURITY);
            return;
        }
        if (!isValidated(from, id, cookie, nowNanos)) {
            return;
        }
        DatagramConnection connection = connections.ofRemote(from, id);
        if (connection == null) {
            if (connections.count() - handshakes.accepted() >= limits.connectionsMax() || !handshakes.hasRoom()) {
                drops.count(DatagramDrops.Reason.OVERLOAD);
                return;
            }
            connection = accept(from, nowNanos);
            connection.onOpened(id, datagramBytesMax, nowNanos);
            connections.onRemote(connection, from, id);
            if (limits.isSecure()) {
                handshakes.begin(connection, from, nowNanos);
            }
        }
        replies.add(from, replies.create(Datagrams.ACCEPT_BYTES, Datagrams.ACCEPT)
                .appendLong(id)
                .appendLong(connection.localId)
                .appendInt(limits.datagramBytesMax()));
    }

    /**
     * Returns whether an OPEN has shown by its cookie that its sender receives at the address that it sends from; sends a
     * cookie there if not. Nothing is stored for that sender, and the answer is shorter than its OPEN.
     */
    private boolean isValidated(Endpoint from, long id, long cookie, long nowNanos) {
        if (keys.isCookie(cookie, from, id, nowNanos)) {
            return true;
        }
        if (cookie != 0) {
            drops.count(DatagramDrops.Reason.BAD_COOKIE);
        }
        cookiesSent++;
        replies.add(from, replies.create(Datagrams.COOKIE_BYTES, Datagrams.COOKIE)
                .appendLong(id)
                .appendLong(keys.cookie(from, id, nowNanos)));
        return false;
    }

    private DatagramConnection accept(Endpoint from, long nowNanos) {
        String remote = from.toString();
        int number = limits.isSecure() ? DatagramConnection.NO_NUMBER : node.onAccepted(nowNanos, remote);
        DatagramConnection connection = owner.add(number, remote);
        connection.endpoint = from;
        return connection;
    }

    void onCookie(Endpoint from, Packet datagram, long nowNanos) {
        DatagramConnection connection = dialed(from, datagram.takeLong());
        long cookie = datagram.takeLong();
        if (datagram.isMalformed() || connection == null) {
            drops.count(DatagramDrops.Reason.UNKNOWN_CONNECTION);
        } else if (cookie != connection.opening.cookie()) {
            connection.opening.onCookie(cookie, nowNanos);
            owner.touch(connection);
        }
    }

    void onAccept(Endpoint from, Packet datagram, long nowNanos) {
        DatagramConnection connection = dialed(from, datagram.takeLong());
        long id = datagram.takeLong();
        int datagramBytesMax = datagram.takeInt();
        if (datagram.isMalformed() || connection == null) {
            drops.count(DatagramDrops.Reason.UNKNOWN_CONNECTION);
            return;
        }
        connection.onOpened(id, datagramBytesMax, nowNanos);
        connections.onRemote(connection, from, id);
        if (limits.isSecure()) {
            handshakes.begin(connection, from, nowNanos);
        } else {
            node.onConnected(nowNanos, connection.number);
        }
        owner.touch(connection);
    }

    /** Returns the connection that is being opened to {@code from} under this id; null if there is none. */
    private @Nullable DatagramConnection dialed(Endpoint from, long id) {
        DatagramConnection connection = connections.find(id);
        return connection != null
                        && connection.state == DatagramConnection.State.OPENING
                        && from.equals(connection.endpoint)
                ? connection
                : null;
    }

    void report(Report section) {
        section.put("cookies-sent", cookiesSent);
    }
}
