/**
 * A state machine that runs at all members of a group alike.
 *
 * {@snippet :
 * Replica<Long, Long> counter = Replica.on(node.group("counter"), new CounterMachine(), Codec.LONG).join();
 *
 * long value = counter.call(5L); // added at all members
 * }
 */
@NullMarked
package dev.tutti.blocks.machine;

import org.jspecify.annotations.NullMarked;
