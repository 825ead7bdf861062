/** A cluster in the browser, from any member. */
@NullMarked
package dev.tutti.console;

import org.jspecify.annotations.NullMarked;
