/**
 * A map that all members of a group have, each in its own memory: {@link dev.tutti.blocks.map.ReplicatedMap}.
 */
@NullMarked
package dev.tutti.blocks.map;

import org.jspecify.annotations.NullMarked;
