/** The look of pages: what those of the console, of mediators and of reports share. */
@NullMarked
package dev.tutti.look;

import org.jspecify.annotations.NullMarked;
