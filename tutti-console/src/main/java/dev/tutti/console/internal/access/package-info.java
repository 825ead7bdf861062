/** Passwords of the console, as files keep them. */
@NullMarked
package dev.tutti.console.internal.access;

import org.jspecify.annotations.NullMarked;
