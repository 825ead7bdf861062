package dev.tutti.announce;

import dev.tutti.announce.message.Load;

/**
 * Load and sessions of a node at a moment.
 *
 * @param sessions sessions that the node serves; copies of sessions that other nodes serve do not count
 */
public record Sample(Load load, long sessions) {}
