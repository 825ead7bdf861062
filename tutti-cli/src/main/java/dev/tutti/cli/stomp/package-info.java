/** Commands that serve STOMP clients and measure the delivery to them. */
@NullMarked
package dev.tutti.cli.stomp;

import org.jspecify.annotations.NullMarked;
