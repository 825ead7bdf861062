/** STOMP on any member: clients of any language send to its groups and receive their messages. */
@NullMarked
package dev.tutti.stomp;

import org.jspecify.annotations.NullMarked;
