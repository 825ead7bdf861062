/** Relays of connections: the rendezvous server and HAProxy, in processes of their own, and the load on them. */
@NullMarked
package dev.tutti.bench.relay;

import org.jspecify.annotations.NullMarked;
