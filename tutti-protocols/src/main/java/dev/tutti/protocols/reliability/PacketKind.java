package dev.tutti.protocols.reliability;

/** Kinds of the packets of {@link Reliability}, the first byte of each: see {@code docs/wire.md}. Ids are never reused. */
final class PacketKind {

    static final int MULTICAST = 0;
    static final int UNICAST = 1;
    static final int ACK = 2;
    static final int STABLE = 3;
    static final int FETCH = 4;
    static final int REPAIR = 5;
    static final int NACK = 6;
    static final int SENT = 7;
    static final int RELAYED = 8;
    static final int ASK = 9;
    static final int DELIVERED = 10;

    private PacketKind() {}

    /** Returns whether a later packet of the kind makes an earlier one of the same sender redundant. */
    static boolean isAbsolute(int kind) {
        return kind == ACK || kind == STABLE || kind == SENT || kind == ASK || kind == DELIVERED;
    }
}
