/** Files that are read again when they have changed, for nodes and for servers beside them. */
@NullMarked
package dev.tutti.netty.internal.reload;

import org.jspecify.annotations.NullMarked;
