/** Meters of Micrometer as measurements, and measurements as gauges of Micrometer. */
@NullMarked
package dev.tutti.grid.bridges.micrometer;

import org.jspecify.annotations.NullMarked;
