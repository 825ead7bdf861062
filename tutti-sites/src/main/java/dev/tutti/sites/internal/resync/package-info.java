/** The state of one site that another one takes over at a cut, as machines without clock, thread and socket. */
@NullMarked
package dev.tutti.sites.internal.resync;

import org.jspecify.annotations.NullMarked;
