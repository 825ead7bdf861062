/** The command that translates stack files of JGroups. */
@NullMarked
package dev.tutti.cli.migration;

import org.jspecify.annotations.NullMarked;
