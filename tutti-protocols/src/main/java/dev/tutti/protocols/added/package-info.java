/** Layers of the user's own in a group's stack. */
@NullMarked
package dev.tutti.protocols.added;

import org.jspecify.annotations.NullMarked;
