/** Options that several commands share. */
@NullMarked
package dev.tutti.bench.options;

import org.jspecify.annotations.NullMarked;
