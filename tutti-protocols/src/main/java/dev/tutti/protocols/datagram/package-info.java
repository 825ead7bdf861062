/** A node on datagrams: connections over them, and multicast beside them (docs/design/datagrams.md). */
@NullMarked
package dev.tutti.protocols.datagram;

import org.jspecify.annotations.NullMarked;
