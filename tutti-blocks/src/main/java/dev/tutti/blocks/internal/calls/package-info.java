/** The parts of calls that know neither procedures nor outcomes: messages, open calls, epochs, counters. */
@NullMarked
package dev.tutti.blocks.internal.calls;

import org.jspecify.annotations.NullMarked;
