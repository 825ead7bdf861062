/** A board that any number of browsers draw on, served by any number of members. */
@NullMarked
package dev.tutti.draw;

import org.jspecify.annotations.NullMarked;
