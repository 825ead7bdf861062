/** Entries of a map that all sites write: what a member keeps of each key, and how it is put on the wire. Machines without clock. */
@NullMarked
package dev.tutti.sites.internal.map;

import org.jspecify.annotations.NullMarked;
