/** Figures, and the tables, charts and pages that show them. */
@NullMarked
package dev.tutti.bench.report;

import org.jspecify.annotations.NullMarked;
