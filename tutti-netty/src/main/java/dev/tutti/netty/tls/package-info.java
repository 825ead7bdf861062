/** Certificates for mutual TLS between the nodes of a cluster. */
@NullMarked
package dev.tutti.netty.tls;

import org.jspecify.annotations.NullMarked;
