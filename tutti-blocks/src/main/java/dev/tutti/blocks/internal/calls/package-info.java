/** The parts of calls that know neither procedures nor outcomes: messages, the table of open calls, epochs, counters. */
@NullMarked
package dev.tutti.blocks.internal.calls;

import org.jspecify.annotations.NullMarked;
