/** The configurations of the study, which all of its processes share. */
@NullMarked
package dev.tutti.study.setup;

import org.jspecify.annotations.NullMarked;
