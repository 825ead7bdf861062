package dev.tutti.protocols.link;

/**
 * HELLO that would end or take over a living connection. It waits until its address has been dialled to check it.
 *
 * @param newcomer connection on which it came
 */
record Claim(LinkConnection newcomer, Hello hello) {}
