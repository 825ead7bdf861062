/** Streams of site groups from one site to another, and their messages: machines without clocks, threads or sockets. */
@NullMarked
package dev.tutti.sites.internal.relay;

import org.jspecify.annotations.NullMarked;
