/** The command {@code tutti}, and the commands that concern the command line itself. */
@NullMarked
package dev.tutti.cli;

import org.jspecify.annotations.NullMarked;
