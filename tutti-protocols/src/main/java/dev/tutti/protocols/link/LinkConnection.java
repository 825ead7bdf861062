package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.driver.Credentials;
import org.jspecify.annotations.Nullable;

/** A connection of the driver: before, in or after its handshake. */
final class LinkConnection {

    final int number;
    final boolean isDialed;

    /** Address that was dialled, or remote address of an accepted connection. */
    final String address;

    /** Node that a dialled connection is supposed to reach; null if not known. */
    final @Nullable NodeId expected;

    /** The link that dials to resume; null if discovery has asked for the connection. */
    final @Nullable Link resuming;

    /** This side's number of the connection that it replaces; {@link Hello#NONE} for none. */
    int replaces = Hello.NONE;

    /** The other side's number of this connection. */
    int peerNumber = Hello.NONE;

    /** Version that both ends speak; 0 before the handshake. */
    int version;

    /** The other end's proof of who it is. */
    Credentials credentials = Credentials.NONE;

    /** Server that the connection passes through, for people; empty for a direct one. */
    String relay = "";

    /** This connection was dialled to replace a relayed one. */
    boolean isDirect;

    /** Progress of the exchange in which both ends decide about each other. */
    AdmissionState admission = AdmissionState.NONE;

    /** The newcomer whose address this connection was dialled to check; null if it has another purpose. */
    @Nullable Claim claim;

    /** Link that it carries. */
    @Nullable Link link;

    boolean isConnected;
    long deadlineNanos = Links.NEVER;

    LinkConnection(
            int number, boolean isDialed, String address, @Nullable NodeId expected, @Nullable Link resuming) {
        this.number = number;
        this.isDialed = isDialed;
        this.address = address;
        this.expected = expected;
        this.resuming = resuming;
    }
}
