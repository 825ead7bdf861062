/** Names of DNS whose records list the nodes. */
@NullMarked
package dev.tutti.discovery.dns;

import org.jspecify.annotations.NullMarked;
