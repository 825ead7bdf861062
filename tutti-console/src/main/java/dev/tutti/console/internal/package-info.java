/** Serving of the console's pages, and their content, made from the members' answers. */
@NullMarked
package dev.tutti.console.internal;

import org.jspecify.annotations.NullMarked;
