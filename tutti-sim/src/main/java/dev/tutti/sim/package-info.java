/** Whole clusters in virtual time. */
@NullMarked
package dev.tutti.sim;

import org.jspecify.annotations.NullMarked;
