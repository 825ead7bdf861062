/** Nodes, their clusters, and connections that are being opened, as a machine without clock, thread and socket. */
@NullMarked
package dev.tutti.rendezvous.internal.registry;

import org.jspecify.annotations.NullMarked;
