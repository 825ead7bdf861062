/** Lease of the active site: votes of sites, and what they mean at one member. Machines without clock, thread or socket. */
@NullMarked
package dev.tutti.sites.internal.lease;

import org.jspecify.annotations.NullMarked;
