/** Caches of Spring in the memory of all nodes. */
@NullMarked
package dev.tutti.spring.cache;

import org.jspecify.annotations.NullMarked;
