/** The driver for UDP: sockets, the multicast group, and datagrams in and out. */
@NullMarked
package dev.tutti.netty.internal.udp;

import org.jspecify.annotations.NullMarked;
