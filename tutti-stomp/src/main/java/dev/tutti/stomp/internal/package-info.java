/** The codec, the sessions of clients, and the layer between them and their groups. */
@NullMarked
package dev.tutti.stomp.internal;

import org.jspecify.annotations.NullMarked;
