/** The transport {@code local}. */
@NullMarked
package dev.tutti.local;

import org.jspecify.annotations.NullMarked;
