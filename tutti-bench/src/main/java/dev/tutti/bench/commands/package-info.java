/** The two command lines of the module and their commands, one for each measurement. */
@NullMarked
package dev.tutti.bench.commands;

import org.jspecify.annotations.NullMarked;
