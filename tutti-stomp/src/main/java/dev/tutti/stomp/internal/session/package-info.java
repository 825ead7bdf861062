/** Clients: the socket they connect to, their connections and sessions, and the deliveries to them. */
@NullMarked
package dev.tutti.stomp.internal.session;

import org.jspecify.annotations.NullMarked;
