/** Locks of other libraries, granted by a group. */
@NullMarked
package dev.tutti.spring.lock;

import org.jspecify.annotations.NullMarked;
