package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;

/**
 * First frame of the side that has dialled. Fields of later versions follow those of version 1, so that a node of
 * version 1 can read the latter and ignore the rest.
 *
 * @param versions versions that the dialler speaks
 * @param cluster must be the same at both
 * @param node that has dialled
 * @param connection the dialler's number of this connection
 * @param expected incarnation of the node that is supposed to be here, to which {@code session} refers; 0 if not known
 * @param session state of the dialler's session with {@code expected}
 * @param gone the dialler's number of the last connection to {@code expected}, which is over; {@link #NONE} if not known
 * @param admission {@link #EXCHANGE_REQUIRED}, {@link #EXCHANGE_KNOWN}, or {@link #NO_EXCHANGE} of a version without it
 */
record Hello(
        Versions versions,
        String cluster,
        NodeId node,
        int connection,
        long expected,
        SessionState session,
        int gone,
        int admission) {

    static final int NONE = 0;

    /** The dialler does not know the exchange of admission. */
    static final int NO_EXCHANGE = 0;

    /** The dialler takes part in the exchange of admission if it is asked to. */
    static final int EXCHANGE_KNOWN = 1;

    /** The dialler has rules itself, and accepts WELCOME only after the exchange of admission. */
    static final int EXCHANGE_REQUIRED = 2;

    /** Creates the HELLO of a node without rules. */
    Hello(Versions versions, String cluster, NodeId node, int connection, long expected, SessionState session, int gone) {
        this(versions, cluster, node, connection, expected, session, gone, EXCHANGE_KNOWN);
    }

    Packet encode(Memory memory) {
        Packet frame = Packet.create(memory, Frames.HELLO_MAX);
        frame.appendByte(Frames.HELLO)
                .appendInt(Frames.MAGIC)
                .appendByte(versions.min())
                .appendByte(versions.max())
                .appendText(cluster);
        Wire.append(frame, node);
        frame.appendInt(connection).appendLong(expected);
        session.encode(frame);
        return frame.appendInt(gone).appendByte(admission);
    }

    /** Reads the fields that follow the versions. */
    static Hello decode(Versions versions, Packet frame) {
        return new Hello(
                versions,
                frame.takeText(),
                Wire.takeNode(frame),
                frame.takeInt(),
                frame.takeLong(),
                SessionState.decode(frame),
                frame.takeInt(),
                frame.isEmpty() ? NO_EXCHANGE : frame.takeByte());
    }
}
