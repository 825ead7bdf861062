/** How the console serves pages, and what it makes of what members say. */
@NullMarked
package dev.tutti.console.internal;

import org.jspecify.annotations.NullMarked;
