package dev.tutti.core;

/** Stream that a delivered packet fills until it is consumed. Goes with the packet to the application and back. */
public interface Receipt {

    /** Returns whether the packet was sent to this member alone. */
    boolean isUnicast();
}
