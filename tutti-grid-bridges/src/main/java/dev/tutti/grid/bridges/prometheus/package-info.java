/** Measurements for Prometheus: a page that it scrapes, and remote write. */
@NullMarked
package dev.tutti.grid.bridges.prometheus;

import org.jspecify.annotations.NullMarked;
