/** Addresses of machines: texts with host and port, names, and the choice among the network interfaces. */
@NullMarked
package dev.tutti.address;

import org.jspecify.annotations.NullMarked;
