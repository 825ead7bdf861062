package dev.tutti.blocks.session;

/** Other nodes that a request waits for before its response begins. */
public enum Acknowledgement {
    /** Every other node has received the changes: no crash loses them. */
    ALL,
    /** None of them, unless the session is new, gets another id or ends: the crash of a node may lose its latest changes. */
    NONE
}
