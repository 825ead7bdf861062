package dev.tutti.core.stack;

/** Goes with a delivered packet to the application and back: the stream that it fills until it is consumed. */
public interface Receipt {

    /** Whether the packet was sent to this member alone. */
    boolean isUnicast();
}
