/** The processes that the study starts, kills and measures. */
@NullMarked
package dev.tutti.study.process;

import org.jspecify.annotations.NullMarked;
