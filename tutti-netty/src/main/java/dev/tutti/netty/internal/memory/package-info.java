/** Direct memory that sockets are read into and datagrams are gathered in. */
@NullMarked
package dev.tutti.netty.internal.memory;

import org.jspecify.annotations.NullMarked;
