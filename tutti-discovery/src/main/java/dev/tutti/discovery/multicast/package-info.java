/** An IP multicast group through which nodes ask for each other. */
@NullMarked
package dev.tutti.discovery.multicast;

import org.jspecify.annotations.NullMarked;
