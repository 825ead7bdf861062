/**
 * Objects that must not exist on two sides at once: locks, elections, semaphores, counters, unique ids. Only the
 * primary partition grants them.
 *
 * {@snippet :
 * Coordination coordination = Coordination.on(node.group("coordination")).founders("a", "b", "c").join();
 *
 * Optional<Hold> hold = coordination.lock("orders").tryAcquire(Duration.ofSeconds(5));
 * hold.ifPresent(held -> store.write(order, held.token())); // the store refuses a token that is lower than one it has seen
 * hold.ifPresent(Hold::close);
 * }
 */
@NullMarked
package dev.tutti.blocks.coordination;

import org.jspecify.annotations.NullMarked;
