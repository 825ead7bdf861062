/** Sources of addresses, read on threads of their own, outside the deterministic core. */
@NullMarked
package dev.tutti.internal.discovery;

import org.jspecify.annotations.NullMarked;
