/** Deliberate mistakes, for the tests of the tests. Exported to the campaign alone. */
@NullMarked
package dev.tutti.protocols.mistake;

import org.jspecify.annotations.NullMarked;
