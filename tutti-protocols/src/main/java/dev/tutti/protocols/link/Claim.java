package dev.tutti.protocols.link;

/**
 * A HELLO that would end or take over a living connection. It waits until its address was dialled.
 *
 * @param newcomer connection on which it came
 */
record Claim(Connection newcomer, Hello hello) {}
