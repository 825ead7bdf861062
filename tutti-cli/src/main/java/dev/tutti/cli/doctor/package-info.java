/** What is wrong with a configuration, this machine or the way to others, and what to change. */
@NullMarked
package dev.tutti.cli.doctor;

import org.jspecify.annotations.NullMarked;
