/** A limit of the rate at which a member sends. */
@NullMarked
package dev.tutti.layers.rate;

import org.jspecify.annotations.NullMarked;
