/** What can be counted and read. */
@NullMarked
package dev.tutti.core.metrics;

import org.jspecify.annotations.NullMarked;
