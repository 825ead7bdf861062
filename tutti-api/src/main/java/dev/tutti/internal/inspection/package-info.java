/** Builds reports on a node and its groups, and defines their metrics. */
@NullMarked
package dev.tutti.internal.inspection;

import org.jspecify.annotations.NullMarked;
