/** The codec, the sessions of clients, and what stands between them and their groups. */
@NullMarked
package dev.tutti.stomp.internal;

import org.jspecify.annotations.NullMarked;
