/** Faults for tests. */
@NullMarked
package dev.tutti.layers.fault;

import org.jspecify.annotations.NullMarked;
