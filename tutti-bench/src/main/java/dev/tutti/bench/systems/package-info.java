/** The systems that can be measured, each behind the same interface. */
@NullMarked
package dev.tutti.bench.systems;

import org.jspecify.annotations.NullMarked;
