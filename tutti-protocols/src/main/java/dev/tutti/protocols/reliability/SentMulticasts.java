package dev.tutti.protocols.reliability;

import dev.tutti.protocols.reliability.buffer.PacketRing;

/**
 * Multicasts of this member: their numbers in the view, the copies that others may still need, and the number up to
 * which all members have everything.
 */
final class SentMulticasts {

    /** Multicasts as this member receives them itself. */
    private final ReceiveWindow own;

    private PacketRing copies = new PacketRing();
    private long bytes;
    private long stable;
    private long announcedStable;

    SentMulticasts(long windowBytes) {
        this.own = new ReceiveWindow(false, windowBytes);
    }

    /** Returns the window in which this member receives its own multicasts. */
    ReceiveWindow own() {
        return own;
    }

    /** Returns the number of the last multicast in this view. */
    long number() {
        return own.received();
    }

    /** Returns the bytes of all multicasts, in all views. */
    long bytes() {
        return bytes;
    }

    /** Returns copies of the multicasts that not all members are known to have. */
    PacketRing copies() {
        return copies;
    }

    /** Returns the number up to which all members have acknowledged everything. */
    long stable() {
        return stable;
    }

    /** Gives the next number to a multicast. */
    void onSent(long chargedBytes) {
        bytes += chargedBytes;
        own.onArrived(chargedBytes);
    }

    /** Takes the acknowledgements of the other members, and frees what all have. */
    void updateStable(PeerStream[] others) {
        long everybodyHas = own.received();
        for (PeerStream pair : others) {
            everybodyHas = Math.min(everybodyHas, pair.acknowledged);
        }
        stable = everybodyHas;
        copies.freeUpTo(stable);
    }

    /** Notes that the others are told the stable number, with a packet or without one. */
    void onStableAnnounced() {
        announcedStable = stable;
    }

    /** Returns whether the stable number has grown since the others were last told. */
    boolean isStableNews() {
        return stable > announcedStable;
    }

    /** Restarts numbers for a new view, and returns the copies of the view that ends. */
    PacketRing startView() {
        PacketRing ended = copies;
        copies = new PacketRing();
        own.startView();
        stable = 0;
        announcedStable = 0;
        return ended;
    }

    void free() {
        copies.freeAll();
    }
}
