/** Metrics and consoles that watch members while these are measured. */
@NullMarked
package dev.tutti.bench.watch;

import org.jspecify.annotations.NullMarked;
