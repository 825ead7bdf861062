/** Attributes of MBeans as measurements. */
@NullMarked
package dev.tutti.grid.bridges.jmx;

import org.jspecify.annotations.NullMarked;
