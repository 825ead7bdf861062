package dev.tutti.core.stack;

/** Reason why a packet was dropped. No packet is dropped without one. */
public enum DropReason {
    MALFORMED("it can't be decoded"),
    FOREIGN_SENDER("its sender is not in the view that it was sent in"),
    OLD_VIEW("it belongs to a view that has ended"),
    FROZEN("it arrived after its receiver had answered a ballot; it is fetched if the cut names it"),
    DUPLICATE("it has arrived before"),
    GAP("a packet before it is missing, because a session was lost"),
    HELD_FULL("it belongs to a coming view, for which a window of packets is held already"),
    CAUSE_LOST("what its sender had delivered before it was lost with those who had it"),
    OLD_BALLOT("it answers a ballot that has been replaced"),
    LATE_REPAIR("nobody waits for it any more"),
    OVERLOADED("the application has not consumed what was delivered before (unreliable groups only)"),
    NO_SESSION("its receiver is gone"),
    NOT_JOINED("the group is not joined here"),
    FORGED("its sender is not the one that may send it, or it names members that nobody knows"),
    IMPLAUSIBLE("a number in it is beyond what can be true"),
    BY_LAYER("a layer of the user's own refused it");

    private final String description;

    DropReason(String description) {
        this.description = description;
    }

    public String description() {
        return description;
    }

    /** Returns whether only a peer that violates the protocol causes it. Such drops are also counted by peer. */
    public boolean isOffence() {
        return this == FORGED || this == IMPLAUSIBLE;
    }
}
