/** Places where nodes look for each other, as a service interface. */
@NullMarked
package dev.tutti.core.discovery;

import org.jspecify.annotations.NullMarked;
