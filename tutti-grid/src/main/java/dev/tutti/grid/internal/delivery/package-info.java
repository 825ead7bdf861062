/** Delivery of measurements to listeners of this process. */
@NullMarked
package dev.tutti.grid.internal.delivery;

import org.jspecify.annotations.NullMarked;
