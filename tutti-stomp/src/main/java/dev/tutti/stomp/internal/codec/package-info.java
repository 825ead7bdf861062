/** Bytes to frames and back, the values of headers, and the envelopes that members exchange. */
@NullMarked
package dev.tutti.stomp.internal.codec;

import org.jspecify.annotations.NullMarked;
