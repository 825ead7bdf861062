package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;

/**
 * The answer to a HELLO that is accepted.
 *
 * @param version version that both use in this session
 * @param node that was dialled
 * @param connection its number of this connection
 * @param session the session that goes on or begins; if it is closed, the dialler is to close it too and to dial again
 * @param from number of the first frame that will be sent on this connection
 */
record Welcome(int version, NodeId node, int connection, SessionState session, long from) {

    Packet encode(Memory memory) {
        Packet frame = Packet.create(memory, Frames.HELLO_MAX);
        frame.appendByte(Frames.WELCOME).appendByte(version);
        Wire.append(frame, node);
        frame.appendInt(connection);
        session.encode(frame);
        return frame.appendLong(from);
    }

    /** Reads the fields that follow the type. */
    static Welcome decode(Packet frame) {
        return new Welcome(
                frame.takeByte(), Wire.takeNode(frame), frame.takeInt(), SessionState.decode(frame), frame.takeLong());
    }
}
