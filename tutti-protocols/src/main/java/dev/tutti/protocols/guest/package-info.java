/** Layers of the user's own in a group's stack. */
@NullMarked
package dev.tutti.protocols.guest;

import org.jspecify.annotations.NullMarked;
