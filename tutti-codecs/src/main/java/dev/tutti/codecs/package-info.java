/** Codecs of formats that a library reads and writes. */
@NullMarked
package dev.tutti.codecs;

import org.jspecify.annotations.NullMarked;
