package dev.tutti.protocols.link;

import dev.tutti.core.Packet;

/**
 * State of a session as one side knows it, which the handshake compares with the other side's.
 *
 * @param epoch counts the sessions of a pair of nodes; 0 before the first
 * @param isOpen whether the session of that epoch goes on; all before it are closed
 * @param received frames that arrived in it, hence the number of the next one
 */
record SessionState(long epoch, boolean isOpen, long received) {

    static final SessionState NONE = new SessionState(0, false, 0);

    /** Outcome of a handshake, seen from the side that was dialled. */
    enum Agreement {
        /** Both have the session open: it goes on. */
        RESUME,
        /** This side has opened it and the other never heard so: it goes on from its start. */
        KEEP,
        /** The other side has opened it and this one never heard so: it is opened here, from its start. */
        ADOPT,
        /** Both have closed: a new one begins, after this side has closed its own if it is open. */
        BEGIN,
        /** This side has closed, the other has not: it is told to, and dials again. */
        TELL
    }

    /** Returns the outcome when a dialler in state {@code other} has reached a node in this state. */
    Agreement agree(SessionState other) {
        if (isOpen && other.isOpen) {
            return epoch == other.epoch ? Agreement.RESUME : Agreement.TELL;
        }
        if (isOpen) {
            // A closed session of an earlier epoch means that the other never opened this one: D11 holds.
            return other.epoch < epoch ? Agreement.KEEP : Agreement.BEGIN;
        }
        if (other.isOpen) {
            return epoch < other.epoch ? Agreement.ADOPT : Agreement.TELL;
        }
        return Agreement.BEGIN;
    }

    void encode(Packet frame) {
        frame.appendLong(epoch).appendBoolean(isOpen).appendLong(received);
    }

    static SessionState decode(Packet frame) {
        SessionState state = new SessionState(frame.takeLong(), frame.takeBoolean(), frame.takeLong());
        // An epoch near the end of its range would leave no successor.
        if (state.epoch < 0 || state.epoch > Long.MAX_VALUE / 2 || state.received < 0) {
            frame.markMalformed();
        }
        return state;
    }
}
