/** The report of a study. */
@NullMarked
package dev.tutti.study.report;

import org.jspecify.annotations.NullMarked;
