package dev.tutti.internal.discovery;

/**
 * State of one source of addresses, for people.
 *
 * @param name unique in the node
 * @param listed addresses in the last list
 * @param looks lists that were read
 * @param failures calls that have failed
 * @param announced times that this node's entry was made
 * @param removed entries of other nodes that were removed
 * @param problem the present failure; empty if the last call succeeded
 */
public record SourceState(
        String name, int listed, long looks, long failures, long announced, long removed, String problem) {}
