/** Loads, and their measurement on several systems that take turns. */
@NullMarked
package dev.tutti.bench.comparison;

import org.jspecify.annotations.NullMarked;
