/** Datagrams by which nodes of a network ask for each other: in a multicast group, or by broadcast. */
@NullMarked
package dev.tutti.discovery.beacon;

import org.jspecify.annotations.NullMarked;
