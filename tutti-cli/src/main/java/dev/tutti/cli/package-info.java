/** The command line. */
@NullMarked
package dev.tutti.cli;

import org.jspecify.annotations.NullMarked;
