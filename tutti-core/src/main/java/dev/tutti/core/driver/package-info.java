/** Interface between a node and its driver. */
@NullMarked
package dev.tutti.core.driver;

import org.jspecify.annotations.NullMarked;
