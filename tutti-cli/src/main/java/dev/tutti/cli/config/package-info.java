/** Commands for settings and certificates. */
@NullMarked
package dev.tutti.cli.config;

import org.jspecify.annotations.NullMarked;
