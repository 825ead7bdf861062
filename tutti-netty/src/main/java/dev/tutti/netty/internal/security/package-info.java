/** TLS between nodes: the sources of certificates, the rule of trust, and passes that tell nodes from strangers. */
@NullMarked
package dev.tutti.netty.internal.security;

import org.jspecify.annotations.NullMarked;
