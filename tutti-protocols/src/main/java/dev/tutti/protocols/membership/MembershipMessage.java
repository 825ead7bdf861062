package dev.tutti.protocols.membership;

/** Kinds of packets, which are their first byte. Packets of the layers above are sent as DATA. */
final class MembershipMessage {

    private MembershipMessage() {}

    static final int DATA = 0;
    static final int ADVERT = 1;
    static final int PREPARE = 2;
    static final int ACK = 3;
    static final int NACK = 4;
    static final int CUT = 5;
    static final int WHO = 6;
    static final int VIEW_STABLE = 7;
    static final int PIECE = 8;

    // Of groups with a primary partition.
    static final int PROPOSE = 9;
    static final int ACCEPTED = 10;
    static final int INSTALL = 11;
    static final int LEARN = 12;
    static final int WAIT = 13;
    static final int LEAVING = 14;
    static final int RECORDED = 15;
    static final int RELEASED = 16;

    /** VIEW_STABLE with the view's tag instead of its id. */
    static final int TAG_STABLE = 17;

    /** First version of the group's packets. */
    static final int FIRST_VERSION = 1;

    /** Version from which members know {@link #TAG_STABLE}. */
    static final int TAG_STABLE_VERSION = 2;
}
