/** The driver for production: Netty. */
@NullMarked
package dev.tutti.netty;

import org.jspecify.annotations.NullMarked;
