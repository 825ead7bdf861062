/** Commands for monitoring. */
@NullMarked
package dev.tutti.cli.grid;

import org.jspecify.annotations.NullMarked;
