/** Input and output of commands: the terminal, tables, amounts, failures and exit codes. */
@NullMarked
package dev.tutti.cli.terminal;

import org.jspecify.annotations.NullMarked;
