/**
 * Monitoring across sites: producers of measurements, consumers, and the registry in which they find each other.
 *
 * <p>{@code docs/design/grid.md} has the architecture, which follows the Grid Monitoring Architecture (GFD-I.7).
 */
@NullMarked
package dev.tutti.grid;

import org.jspecify.annotations.NullMarked;
