/** Definitions of metrics. */
@NullMarked
package dev.tutti.core.metrics;

import org.jspecify.annotations.NullMarked;
