/** Decision about which nodes may come in, as a service interface. */
@NullMarked
package dev.tutti.core.admission;

import org.jspecify.annotations.NullMarked;
