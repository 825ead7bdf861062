/** Deliberate mistakes, for the tests of the tests. Exported to the campaign alone. */
@NullMarked
package dev.tutti.protocols.mutant;

import org.jspecify.annotations.NullMarked;
