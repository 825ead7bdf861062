/** A cache as a replicated machine: its entries, commands and state. */
@NullMarked
package dev.tutti.jcache.internal;

import org.jspecify.annotations.NullMarked;
