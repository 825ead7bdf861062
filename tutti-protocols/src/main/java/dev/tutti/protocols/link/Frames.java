package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;

/**
 * The types of frames (docs/wire.md, section Frames).
 *
 * <p>Types from {@link #NUMBERED_MIN} on belong to a session: each side counts them, keeps what it sent until it is
 * acknowledged, and they arrive in order, once. Smaller ones belong to a connection.
 */
public final class Frames {

    private Frames() {}

    public static final int HELLO = 1;
    public static final int WELCOME = 2;
    public static final int REFUSE = 3;
    public static final int HEARTBEAT = 4;
    public static final int LINK_ACK = 5;
    static final int CHALLENGE = 6;
    static final int PROOF = 7;
    static final int ADMITTED = 8;

    public static final int NUMBERED_MIN = 16;

    public static final int GOODBYE = 16;
    public static final int GROUP_JOINED = 17;
    public static final int GROUP_MET = 18;
    public static final int GROUP_LEFT = 19;
    public static final int PEERS = 20;

    /** Tells the receiver whether its multicasts arrive at the sender of this frame. */
    public static final int MULTICAST_HEARD = 21;

    /** Gives the receiver the key of the sender's multicasts. */
    public static final int MULTICAST_KEY = 22;

    /** Confirms a key by its number. */
    public static final int MULTICAST_KEY_TAKEN = 23;

    public static final int GROUP = 32;

    /** First bytes of a HELLO, after its type. */
    static final int MAGIC = 0x74757469;

    /** Bytes of the largest HELLO, the only frame that is read of an unknown peer. */
    static final int HELLO_MAX = 4 * 1024;

    /** Bytes that a frame counts beyond its length in the limits of a session, the same at both ends. */
    static final int OVERHEAD = 64;

    /** Free bytes before a frame that no layer has written; drivers put its length there. */
    private static final int HEADROOM = 16;

    /** Creates a frame of a type, with room to append {@code bytes}. */
    public static Packet create(Memory memory, int type, int bytes) {
        return Packet.of(memory.acquire(HEADROOM + 1 + bytes), HEADROOM, 0).appendByte(type);
    }

    static int cost(int frameLength) {
        return frameLength + OVERHEAD;
    }
}
