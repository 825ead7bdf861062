/** STOMP on any member: clients of any language send to its groups and hear what is sent there. */
@NullMarked
package dev.tutti.stomp;

import org.jspecify.annotations.NullMarked;
