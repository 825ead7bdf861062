/** The experiments of the papers that the project started from, and the command that repeats them. */
@NullMarked
package dev.tutti.bench.papers;

import org.jspecify.annotations.NullMarked;
