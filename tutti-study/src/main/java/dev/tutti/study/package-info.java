/** The command {@code ./tutti study}. */
@NullMarked
package dev.tutti.study;

import org.jspecify.annotations.NullMarked;
