/** Addresses of a node: interfaces, host names, and the address and ports that it binds and advertises. */
@NullMarked
package dev.tutti.netty.internal.address;

import org.jspecify.annotations.NullMarked;
